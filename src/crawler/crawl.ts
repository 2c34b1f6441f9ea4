import { AppError } from '../domain/errors.ts';
import { type Listing, listEntries } from '../domain/listing.ts';
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

export interface Missing {
  from: 'the ongoing list' | 'the schedule';
  slugs: string[];
}

/**
 * Finds anime that only one of the two listings has, and anime that a page links to outside of its cards. The schedule
 * should have every anime of the ongoing list that has a day (54 of 54 when it was measured), and nothing else shows that
 * a card has vanished. A difference is reported and not refused: the site caches the schedule for up to a day, and a list
 * that lacks one anime serves readers better than one that is a day old. Anime that were missing from the last good
 * listing already are not reported again.
 */
function findMissing(
  listing: Listing,
  lastGood: Listing | undefined,
  { pages, schedule }: ReadPages,
): Missing[] {
  const listed = slugsOf(listing);
  const known = lastGood && differencesOf(slugsOf(lastGood));
  const differences = differencesOf(listed);
  const fallenOut = pages.flatMap((page) => page.linked).filter((slug) => !listed.ongoing.has(slug));
  const unscheduled = schedule.linked.filter((slug) => !listed.scheduled.has(slug));
  return [
    missing('the ongoing list', [...differences.ongoing, ...fallenOut], known?.ongoing),
    missing('the schedule', [...differences.schedule, ...unscheduled], known?.schedule),
  ].filter(({ slugs }) => slugs.length > 0);
}

function missing(from: Missing['from'], slugs: string[], known: Set<string> | undefined): Missing {
  return { from, slugs: [...new Set(slugs)].filter((slug) => !known?.has(slug)) };
}

interface Slugs {
  ongoing: Set<string>;
  /** Those of the ongoing list that should be in the schedule. */
  withDay: Set<string>;
  scheduled: Set<string>;
}

function slugsOf({ ongoing, schedule }: Listing): Slugs {
  return {
    ongoing: new Set(ongoing.map((anime) => anime.slug)),
    withDay: new Set(ongoing.filter((anime) => anime.day !== 'None').map((anime) => anime.slug)),
    scheduled: new Set(listEntries(schedule).map((anime) => anime.slug)),
  };
}

function differencesOf({ ongoing, withDay, scheduled }: Slugs) {
  return { ongoing: scheduled.difference(ongoing), schedule: withDay.difference(scheduled) };
}
