import { AppError } from '../domain/errors.ts';
import type { Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import type { SchedulePage, Source, Visit } from '../source/source.ts';
import type { Corrections } from './corrections.ts';
import type { ReadPages } from './crawl-index.ts';
import { type CrawledPages, crawlPages } from './crawl-pages.ts';
import { checkConsistent, checkFamiliar, checkPager, checkSchedulePage } from './guard.ts';
import { checkProgress, checkSameAge, checkSharedAnime } from './guard-history.ts';
import { markContradictions } from './mark-contradictions.ts';

export interface Crawl extends CrawledPages {
  /** The origin that was asked, and the one that served. */
  asked: string;
  mirror: string;
  schedule: SchedulePage;
}

export interface CrawlOptions {
  source: Source;
  /** Goes first: the mirror that served last time, configured or redirected to from one that is. */
  preferred: string | null;
  lastGood: Snapshot | undefined;
  force: boolean;
  corrections: Corrections;
  report: Report;
  signal: AbortSignal;
}

/** Crawls the first mirror on which everything adds up. When none does, throws what the first of them did wrong. */
export async function crawl(options: CrawlOptions): Promise<Crawl> {
  const { source, preferred, report, signal } = options;
  const mirrors = [...new Set([...(preferred ? [preferred] : []), ...source.mirrors])];
  const visit = source.beginCrawl(signal);
  let firstError: unknown;
  for (const mirror of mirrors) {
    try {
      report({ type: 'refresh-started', mirror });
      return { asked: mirror, ...(await crawlMirror(visit(mirror), options)) };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (mirrors.length > 1) report({ type: 'mirror-failed', mirror, error });
      firstError ??= error;
    }
  }
  throw firstError;
}

async function crawlMirror(visit: Visit, options: CrawlOptions): Promise<Omit<Crawl, 'asked'>> {
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
  return { mirror, ...compare({ schedule, ...walked }, options) };
}

/** Compares the pages with each other, and with the last good listing unless the operator knows better. */
function compare<Read extends ReadPages>(read: Read, { lastGood, force, corrections }: CrawlOptions): Read {
  const known = force ? undefined : lastGood;
  checkSameAge(read);
  checkSharedAnime(read);
  const marked = markContradictions(read, known, corrections);
  checkConsistent(marked);
  if (known) checkProgress(read.pages, known, corrections);
  return marked;
}
