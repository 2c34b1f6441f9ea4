import type { Listing } from '../domain/listing.ts';
import type { Visit } from '../source/source.ts';
import type { JudgeOptions } from './belief/compare.ts';
import { judgePage, type PageVerdict } from './belief/judge.ts';
import { type MirrorOptions, type MirrorResult, readFirstGood } from './mirrors.ts';
import { checkFamiliar, checkOngoingPage, checkReadablePages, digestPage } from './page-checks.ts';

interface PeekOptions extends MirrorOptions, JudgeOptions {
  lastGood: Listing;
  /** Digest of page 1 as it was read last. */
  firstPage: string | null;
}

interface Peek extends MirrorResult {
  /** Undefined when page 1 is the same as at the last reading, or was built before. */
  verdict: PageVerdict | undefined;
}

/** Reads page 1 of the ongoing list and checks it as a crawl would. Throws AppError `source-…`. */
export async function peek(options: PeekOptions): Promise<Peek> {
  return readFirstGood(options, (visit) => peekMirror(visit, options));
}

async function peekMirror(
  visit: Visit,
  options: PeekOptions,
): Promise<Omit<Peek, 'askedMirror' | 'repairs' | 'failed'>> {
  const { source, lastGood, firstPage: last, isOlder } = options;
  const page = await visit.readOngoing(1);
  const mirror = visit.origin();
  if (!source.mirrors.includes(mirror)) checkFamiliar(mirror, [page], lastGood);
  const { builtAt } = page;
  const firstPage = digestPage(page);
  if (firstPage === last) return { mirror, firstPage, builtAt, verdict: undefined };
  checkOngoingPage(page, 1, page);
  checkReadablePages([page], false);
  if (last !== null && isOlder(builtAt)) return { mirror, firstPage: last, builtAt, verdict: undefined };
  return { mirror, firstPage, builtAt, verdict: judgePage(page, options) };
}
