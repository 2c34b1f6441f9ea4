import { AppError } from '../domain/errors.ts';
import type { Visit } from '../source/source.ts';
import {
  type Attempt,
  countEntries,
  fail,
  goodRead,
  judgeOptions,
  mirrorOptions,
  type RefreshSummary,
  refuse,
  reportMirror,
  reportOmissions,
  write,
} from './attempt.ts';
import type { JudgeOptions } from './belief/compare.ts';
import { judge, type Verdict } from './belief/judge.ts';
import { listAbsent } from './belief/memory.ts';
import { PendingReading } from './belief/pending.ts';
import type { ReadPages } from './belief/reading.ts';
import { crawlPages } from './crawl-pages.ts';
import { findMissing } from './find-missing.ts';
import { type MirrorOptions, type MirrorResult, readFirstGood } from './mirrors.ts';
import {
  checkFamiliar,
  checkFirst,
  checkNotEmpty,
  checkSchedulePage,
  checkSize,
  digestPage,
} from './page-checks.ts';
import { noteRepairs } from './selector-repairs.ts';
import { afterCrawl, afterPending } from './status-changes.ts';

interface Crawl extends MirrorResult, ReadPages {
  verdict: Verdict;
}

type CrawlOptions = MirrorOptions & JudgeOptions;
export type MirrorCrawl = Omit<Crawl, 'askedMirror' | 'repairs' | 'failed'>;

/** Crawl → belief → snapshot. Throws AppError `source-…` when the source was not good, or its reading is pending. */
export async function tryCrawl(attempt: Attempt): Promise<RefreshSummary> {
  const { status, now } = attempt;
  try {
    const crawled = await crawl({ ...mirrorOptions(attempt, true), ...judgeOptions(attempt) });
    return await acceptCrawl(attempt, crawled);
  } catch (error) {
    if (error instanceof PendingReading) return await keepPending(attempt, error);
    if (error instanceof AppError) status.crawledAt = now();
    return fail(attempt, error);
  }
}

async function acceptCrawl(attempt: Attempt, crawled: Crawl): Promise<RefreshSummary> {
  const { store, report, now, times, status, startedAt, lastGood } = attempt;
  const { listing, omissions, omitted, keptFromBefore } = crawled.verdict;
  if (!listing) throw new Error('a reading that is not pending has a listing');
  reportOmissions(omissions, report);
  for (const missing of findMissing(listing, lastGood, crawled))
    report({ type: 'anime-missing', ...missing });
  const { snapshot, changes } = await write(attempt, listing, crawled, crawled.verdict);
  const good = {
    ...goodRead(attempt, crawled, snapshot),
    ...{ omitted, keptFromBefore },
    repaired: noteRepairs(status.repaired, crawled.repairs, now(), report),
    dueAt: times.nextCrawl(),
  };
  await store.writeStatus(afterCrawl(status, now(), good));
  reportMirror(attempt, crawled);
  const summary = { pages: crawled.pages.length + 2, ...countEntries(snapshot), changes };
  const tookMs = performance.now() - startedAt;
  report({ type: 'refresh-finished', ...summary, changes: changes.length, tookMs });
  return summary;
}

/** Writes what is pending, with the news that can be told apart from it, and throws it. */
async function keepPending(attempt: Attempt, error: PendingReading): Promise<never> {
  const { store, now, status, lastGood } = attempt;
  const { verdict, ...read } = error.crawl;
  const { pending, listing, memory } = verdict;
  const result = { ...read, askedMirror: status.askedMirror ?? read.mirror, failed: [] };
  status.crawledAt = now();
  if (!lastGood || !listing || !pending) {
    await store.writeBelief(memory);
    return fail(attempt, error);
  }
  const { snapshot } = await write(attempt, listing, result, verdict);
  const good = { ...goodRead(attempt, result, snapshot), mirror: status.mirror };
  await store.writeStatus(afterPending(status, now(), pending, good));
  return refuse(attempt, error, status.state !== 'changed');
}

/**
 * Crawls the first mirror on which everything adds up. Throws AppError `source-…` when there is none, a PendingReading if a
 * mirror had one.
 */
async function crawl(options: CrawlOptions): Promise<Crawl> {
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
