import { type Pending, PendingReading } from '../belief/pending.ts';
import type { ReadPages } from '../belief/reading.ts';
import { listAbsent } from '../belief/rivals.ts';
import { AppError } from '../domain/errors.ts';
import { type Listing, listEntries } from '../domain/listing.ts';
import type { OperationalEvent } from '../domain/operational-event.ts';
import type { OngoingPage, Visit } from '../source/source.ts';
import { accept } from './accept.ts';
import { type Attempt, afterAttempt } from './attempt.ts';
import { noteCrawl } from './attempts.ts';
import { crawlPages } from './crawl-pages.ts';
import { fail, refuseReading } from './fail.ts';
import { type JudgedRead, judgeRead } from './judge-read.ts';
import { type MirrorResult, readFirstGood } from './mirrors.ts';
import { noteRepairs } from './note-repairs.ts';
import { checkFirst, checkListing, checkSchedulePage } from './page-checks.ts';
import { countEntries, type RefreshSummary } from './refresh-summary.ts';

/** All pages of a mirror, and the verdict on them. */
type CrawledMirror = ReadPages & JudgedRead;

type Crawl = MirrorResult & CrawledMirror;

/** Crawl → belief → snapshot. Throws AppError `source-…` when the source was not good, or its reading is pending. */
export async function tryCrawl(attempt: Attempt): Promise<RefreshSummary> {
  const { status, now } = attempt;
  let crawled: Crawl;
  try {
    crawled = await readFirstGood(attempt, true, (visit, first) => crawlMirror(visit, first, attempt));
  } catch (error) {
    if (error instanceof AppError) status.attempts = noteCrawl(status.attempts, now());
    return fail(attempt, error);
  }
  const { pending } = crawled.verdict;
  return pending ? keepPending(attempt, crawled, pending) : acceptCrawl(attempt, crawled);
}

async function acceptCrawl(attempt: Attempt, crawled: Crawl): Promise<RefreshSummary> {
  const { report, now, times, status, startedAt, lastGood } = attempt;
  const { listing, omitted, keptFromBefore } = crawled.verdict;
  status.attempts = noteCrawl(status.attempts, now());
  const { snapshot, changes } = await accept(attempt, crawled, (good) => ({
    ...afterAttempt(attempt, 'ok', null),
    ...good,
    due: { ...good.due, dueAt: times.nextCrawl() },
    crawl: {
      refreshedAt: now(),
      omitted,
      keptFromBefore,
      repaired: noteRepairs(status.crawl.repaired, crawled.repairs, now(), report),
    },
    pending: null,
  }));
  const missing = listing ? findMissing(listing, lastGood, crawled) : [];
  for (const event of missing) report(event);
  const summary = { pages: crawled.pages.length + 2, ...countEntries(snapshot), changes };
  const tookMs = performance.now() - startedAt;
  report({ type: 'refresh-finished', ...summary, changes: changes.length, tookMs });
  return summary;
}

/** Writes a pending reading, with its certain news, and throws it. */
async function keepPending(attempt: Attempt, crawled: Crawl, pending: Pending): Promise<never> {
  const { now, status } = attempt;
  const { listing, memory } = crawled.verdict;
  const error = new PendingReading('source-changed', pending.reason);
  status.attempts = noteCrawl(status.attempts, now());
  status.belief = memory;
  if (!listing) return fail(attempt, error);
  const read = { ...crawled, askedMirror: status.mirrors.askedMirror ?? crawled.mirror, failed: [] };
  // The next ones have to show whether it lasts, so there is no backoff.
  const changed = afterAttempt(attempt, 'changed', pending.reason);
  await accept(attempt, read, (good) => ({
    ...changed,
    ...good,
    mirrors: { ...good.mirrors, mirror: status.mirrors.mirror },
    // A reading that is not believed proves no lateness.
    reading: { ...good.reading, readAt: status.reading.readAt },
    pending,
  }));
  return refuseReading(attempt, error, changed);
}

async function crawlMirror(
  visit: Visit,
  first: OngoingPage | undefined,
  attempt: Attempt,
): Promise<CrawledMirror> {
  const { lastGood, status, force, report } = attempt;
  const schedule = await visit.readSchedule();
  checkSchedulePage(schedule, force);
  let done = 1;
  report({ type: 'page-read', page: 'schedule', done, total: undefined });
  const onPage = (page: string, pages: number) => {
    done += 1;
    report({ type: 'page-read', page, done, total: Math.max(done, pages + 2) });
  };
  const absent = listAbsent(status.belief);
  const known = new Set(lastGood?.ongoing.map(({ slug }) => slug).filter((slug) => !absent.has(slug)));
  const walked = await crawlPages({ visit, first, known, force, onPage });
  const read = { schedule, ...walked };
  if (!lastGood) checkFirst(read, force);
  const reading = await judgeRead(visit, read, attempt, false);
  const { listing, pending } = reading.verdict;
  if (listing && !pending) checkListing(listing);
  return { ...read, ...reading };
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
): Extract<OperationalEvent, { type: 'anime-missing' }>[] {
  const linked = pages.flatMap((page) => page.linked);
  const now = comparePages(listing, linked, schedule.linked);
  const before = lastGood && comparePages(lastGood);
  return (['the ongoing list', 'the schedule'] as const).flatMap((from) => {
    const slugs = [...now[from].difference(before?.[from] ?? new Set())];
    return slugs.length > 0 ? [{ type: 'anime-missing' as const, from, slugs }] : [];
  });
}

/** The anime that each page lacks because only the other one has them, or only a link outside of its cards. */
function comparePages(
  { ongoing, schedule }: Listing,
  onList: readonly string[] = [],
  onSchedule: readonly string[] = [],
): Record<'the ongoing list' | 'the schedule', Set<string>> {
  const listed = new Set(ongoing.map(({ slug }) => slug));
  const scheduled = new Set(listEntries(schedule).map(({ slug }) => slug));
  const withDay = ongoing.flatMap(({ day, slug }) => (day === 'None' ? [] : slug));
  return {
    'the ongoing list': scheduled.union(new Set(onList)).difference(listed),
    'the schedule': new Set([...withDay, ...onSchedule]).difference(scheduled),
  };
}
