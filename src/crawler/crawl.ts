import type { Visit } from '../source/source.ts';
import type { JudgeOptions } from './belief/compare.ts';
import { judge, type Verdict } from './belief/judge.ts';
import { listAbsent } from './belief/memory.ts';
import { PendingReading } from './belief/pending.ts';
import type { ReadPages } from './belief/reading.ts';
import { crawlPages } from './crawl-pages.ts';
import { type MirrorOptions, type MirrorResult, readFirstGood } from './mirrors.ts';
import {
  checkFamiliar,
  checkFirst,
  checkNotEmpty,
  checkSchedulePage,
  checkSize,
  digestPage,
} from './page-checks.ts';

export interface Crawl extends MirrorResult, ReadPages {
  verdict: Verdict;
}

type CrawlOptions = MirrorOptions & JudgeOptions;
export type MirrorCrawl = Omit<Crawl, 'askedMirror' | 'repairs' | 'failed'>;

/**
 * Crawls the first mirror on which everything adds up. Throws AppError `source-…` when there is none, a PendingReading if a
 * mirror had one.
 */
export async function crawl(options: CrawlOptions): Promise<Crawl> {
  return readFirstGood(options, (visit) => crawlMirror(visit, options));
}

async function crawlMirror(visit: Visit, options: CrawlOptions): Promise<MirrorCrawl> {
  const { source, lastGood, force, report } = options;
  const schedule = await visit.readSchedule();
  checkSchedulePage(schedule, force);
  let done = 1;
  report({ type: 'page-read', page: 'schedule', done, total: undefined });
  const onPage = (page: string, pages: number) => {
    done += 1;
    report({ type: 'page-read', page, done, total: Math.max(done, pages + 2) });
  };
  const absent = listAbsent(options.memory);
  const known = new Set(lastGood?.ongoing.map(({ slug }) => slug).filter((slug) => !absent.has(slug)));
  const walked = await crawlPages({ visit, known, force, onPage });
  if (!lastGood) checkFirst({ schedule, ...walked }, force);
  const mirror = visit.origin();
  if (!source.mirrors.includes(mirror)) checkFamiliar(mirror, walked.pages, lastGood);
  const verdict = judge({ schedule, ...walked }, options);
  const { builtAt } = walked.firstAgain;
  const read = { mirror, firstPage: digestPage(walked.firstAgain), builtAt, schedule, ...walked, verdict };
  if (verdict.pending) throw new PendingReading(read, verdict.pending);
  if (verdict.listing) checkNotEmpty(verdict.listing);
  if (verdict.listing) checkSize(verdict.listing);
  return read;
}
