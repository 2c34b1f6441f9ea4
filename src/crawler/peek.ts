import type { Listing } from '../domain/listing.ts';
import type { OngoingPage, SchedulePage, Visit } from '../source/source.ts';
import { comparePages, digestPage } from './guard/compare-pages.ts';
import { NO_CORRECTIONS } from './guard/corrections.ts';
import { checkFamiliar, checkOngoingPage, checkReadablePages } from './guard/guard.ts';
import { type MirrorOptions, type MirrorResult, readFirstGood } from './mirrors.ts';

interface PeekOptions extends MirrorOptions {
  lastGood: Listing;
  /** Digest of page 1 as it was read last. */
  firstPage: string | null;
}

interface Peek extends MirrorResult {
  /** Page 1, compared with the last good listing; undefined when it is the same as at the last reading. */
  page: OngoingPage | undefined;
}

/** Reads page 1 of the ongoing list and checks it as a crawl would. Throws AppError `source-…`. */
export async function peek(options: PeekOptions): Promise<Peek> {
  return readFirstGood(options, (visit) => peekMirror(visit, options));
}

async function peekMirror(
  visit: Visit,
  options: PeekOptions,
): Promise<Omit<Peek, 'askedMirror' | 'repairs'>> {
  const { source, lastGood } = options;
  const page = await visit.readOngoing(1);
  const mirror = visit.origin();
  if (!source.mirrors.includes(mirror)) checkFamiliar(mirror, [page], lastGood);
  const firstPage = digestPage(page);
  if (firstPage === options.firstPage) return { mirror, firstPage, page: undefined };
  checkOngoingPage(page, 1, page, false);
  checkReadablePages([page], false);
  return { mirror, firstPage, page: compareWithLastGood(page, lastGood) };
}

/** Compares page 1 with the last good listing, which also replaces the pages that a peek does not read. */
function compareWithLastGood(page: OngoingPage, lastGood: Listing): OngoingPage {
  const listed = new Set(page.cards.map(({ slug }) => slug));
  const others = lastGood.ongoing.filter(({ slug }) => !listed.has(slug));
  const rest = { number: 2, lastNumber: 2, cards: others, alts: [], linked: [] };
  const schedule: SchedulePage = {
    groups: lastGood.schedule.map(({ day, animeList }) => ({ day, cards: animeList })),
    linked: [],
  };
  const read = { schedule, pages: [page, rest], firstAgain: page };
  return comparePages(read, { lastGood, force: false, corrections: NO_CORRECTIONS }).firstAgain;
}
