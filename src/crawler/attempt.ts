import { AppError } from '../domain/errors.ts';
import { changedAt, type Listing, type Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import { DAY_MS } from '../domain/units.ts';
import type { Source } from '../source/source.ts';
import { applyPeek } from './apply-peek.ts';
import { type Crawl, crawl } from './crawl.ts';
import { createCorrections } from './guard/corrections.ts';
import { checkNotEmpty, checkSize } from './guard/guard.ts';
import { checkConfirmed, noteShrinkage } from './guard/shrink-guard.ts';
import { mergeCrawl, reportOmissions } from './merge-crawl.ts';
import { mergeOngoing } from './merge-pages.ts';
import type { MirrorOptions, MirrorResult } from './mirrors.ts';
import { countOmissions } from './omissions.ts';
import { peek } from './peek.ts';
import { countEntries, type RefreshSummary } from './refresh-summary.ts';
import { noteRepairs } from './selector-repairs.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { afterCrawl, afterFailure, afterPeek, preferredMirror, type Status } from './source-state.ts';
import type { RefreshTimes } from './timing/refresh-times.ts';
import { writeListing } from './write-listing.ts';

export interface RefreshOptions {
  source: Source;
  store: SnapshotStore;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
  times: RefreshTimes;
}

/** One refresh under the lease. Its steps update `status`, which is written at the end. */
interface Attempt extends RefreshOptions {
  status: Status;
  lastGood: Snapshot | undefined;
  force: boolean;
  signal: AbortSignal;
  /** By the monotonic clock, ms. */
  startedAt: number;
}

/**
 * Peek → apply → snapshot. Returns undefined when page 1 is not enough and a whole crawl has to follow. Throws like
 * `tryCrawl`.
 */
export async function tryPeek(attempt: Attempt, lastGood: Snapshot): Promise<RefreshSummary | undefined> {
  const { status, report } = attempt;
  try {
    const options = { ...mirrorOptions(attempt, false), lastGood, firstPage: status.firstPage };
    const { page, ...result } = await peek(options);
    const ongoing = page ? applyPeek(page, lastGood.ongoing) : lastGood.ongoing;
    if (!ongoing) return allowCrawl(attempt) ? undefined : await postpone(attempt, lastGood);
    const listing = { schedule: lastGood.schedule, ongoing };
    checkSize(listing);
    if (page) reportOmissions(mergeOngoing([page], page, lastGood.ongoing).omissions, report);
    return await acceptPeek(attempt, result, listing);
  } catch (error) {
    const isUnclear = error instanceof AppError && error.code === 'source-changed';
    if (isUnclear && allowCrawl(attempt)) return undefined;
    return await fail(attempt, error);
  }
}

/** Crawl → merge → guard → snapshot. Throws AppError `source-…` when the source was not good. */
export async function tryCrawl(attempt: Attempt): Promise<RefreshSummary> {
  const { status, lastGood, force, report, now } = attempt;
  const corrections = createCorrections(status.corrections, now());
  try {
    const options = { ...mirrorOptions(attempt, true), lastGood, force, corrections };
    const crawled = await crawl(options).finally(() => {
      status.corrections = corrections.list();
    });
    const listing = mergeCrawl(crawled, lastGood, report);
    checkNotEmpty(listing);
    checkSize(listing);
    const known = lastGood && { listing: lastGood, confirmedAt: status.refreshedAt ?? changedAt(lastGood) };
    status.shrinkage = noteShrinkage(listing, known, status.shrinkage, now());
    if (status.shrinkage && !force) checkConfirmed(status.shrinkage, now());
    return await acceptCrawl(attempt, crawled, listing);
  } catch (error) {
    if (error instanceof AppError) status.crawledAt = now();
    return fail(attempt, error);
  }
}

function mirrorOptions(
  { source, status, lastGood, report, signal }: Attempt,
  mayRepair: boolean,
): MirrorOptions {
  const memory = lastGood && { lastGood, repairs: status.repaired, mayRepair };
  return { source, preferred: preferredMirror(status, source.mirrors), memory, report, signal };
}

async function acceptCrawl(attempt: Attempt, crawled: Crawl, listing: Listing): Promise<RefreshSummary> {
  const { store, report, now, times, status, startedAt } = attempt;
  const { snapshot, changes } = await write(attempt, listing, crawled);
  const good = {
    ...goodRead(attempt, crawled, snapshot),
    ...countOmissions(crawled, snapshot),
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

async function acceptPeek(attempt: Attempt, result: MirrorResult, listing: Listing): Promise<RefreshSummary> {
  const { store, report, now, status, startedAt } = attempt;
  const { snapshot, changes } = await write(attempt, listing, result);
  await store.writeStatus(afterPeek(status, now(), goodRead(attempt, result, snapshot)));
  reportMirror(attempt, result);
  report({ type: 'peek-finished', changes: changes.length, tookMs: performance.now() - startedAt });
  return { pages: 1, ...countEntries(snapshot), changes };
}

function write({ store, now, lastGood }: Attempt, listing: Listing, { mirror }: MirrorResult) {
  return writeListing({ store, now, mirror }, listing, lastGood);
}

/** The part of the status that a good crawl and a good peek both update. */
function goodRead({ source, times, status }: Attempt, result: MirrorResult, snapshot: Snapshot) {
  const { askedMirror, mirror, firstPage } = result;
  return {
    mirror,
    askedMirror: source.mirrors.includes(askedMirror) ? askedMirror : status.askedMirror,
    firstPage,
    peekDueAt: times.nextPeek(snapshot),
    changedAt: changedAt(snapshot),
  };
}

function reportMirror({ report, status: { mirror: from } }: Attempt, { mirror: to }: MirrorResult): void {
  if (from && from !== to) report({ type: 'mirror-changed', from, to });
}

/** Notes and allows a crawl after a peek, a few times a day: a source that never adds up is not crawled all day. */
function allowCrawl({ status, times, now }: Attempt): boolean {
  const recent = status.peekCrawls.filter((at) => at > now() - DAY_MS && at <= now());
  const isAllowed = recent.length < times.maxPeekCrawls;
  status.peekCrawls = isAllowed ? [...recent, now()] : recent;
  return isAllowed;
}

/** Leaves a changed page 1 to the next crawl of the timer. Until then the ongoing list counts as overdue. */
async function postpone(attempt: Attempt, lastGood: Snapshot): Promise<RefreshSummary> {
  const { store, report, now, status, startedAt } = attempt;
  await store.writeStatus(afterPeek(status, now(), {}));
  report({ type: 'peek-finished', changes: 0, tookMs: performance.now() - startedAt });
  return { pages: 1, ...countEntries(lastGood), changes: [] };
}

/** Writes and reports a refusal, and throws it. Other errors are thrown as they are. */
async function fail(
  { store, report, now, times, status, lastGood }: Attempt,
  error: unknown,
): Promise<never> {
  if (!(error instanceof AppError)) throw error;
  const hasSnapshot = lastGood !== undefined;
  const failed = afterFailure(status, now(), error, { ...times, hasSnapshot });
  await store.writeStatus(failed);
  const isNews = failed.state !== status.state;
  const nextAttempt = times.afterFailure(failed, hasSnapshot);
  report({ type: 'refresh-refused', error, isNews, hasSnapshot, nextAttempt });
  throw error;
}
