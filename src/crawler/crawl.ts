import type { Visit } from '../source/source.ts';
import { crawlPages } from './crawl-pages.ts';
import { type CompareOptions, comparePages, digestPage } from './guard/compare-pages.ts';
import type { ReadPages } from './guard/crawl-index.ts';
import { checkFamiliar, checkPager, checkSchedulePage } from './guard/guard.ts';
import { type MirrorOptions, type MirrorResult, readFirstGood } from './mirrors.ts';

export interface Crawl extends MirrorResult, ReadPages {}

type CrawlOptions = MirrorOptions & CompareOptions;

/** Crawls the first mirror on which everything adds up. Throws AppError `source-…` when there is none. */
export async function crawl(options: CrawlOptions): Promise<Crawl> {
  return readFirstGood(options, (visit) => crawlMirror(visit, options));
}

async function crawlMirror(
  visit: Visit,
  options: CrawlOptions,
): Promise<Omit<Crawl, 'askedMirror' | 'repairs'>> {
  const { source, lastGood, force, report } = options;
  const schedule = await visit.readSchedule();
  checkSchedulePage(schedule, force);
  let done = 1;
  report({ type: 'page-read', page: 'schedule', done, total: undefined });
  const onPage = (page: string, pages: number) => {
    done += 1;
    report({ type: 'page-read', page, done, total: Math.max(done, pages + 2) });
  };
  const walked = await crawlPages({ visit, lastGood, force, onPage });
  checkPager(walked.pages, schedule, force);
  const mirror = visit.origin();
  if (!source.mirrors.includes(mirror)) checkFamiliar(mirror, walked.pages, lastGood);
  const firstPage = digestPage(walked.firstAgain);
  return { mirror, firstPage, ...comparePages({ schedule, ...walked }, options) };
}
