import { AppError } from '../domain/errors.ts';
import { changedAt, type Listing, type Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Source } from '../source/source.ts';
import { applyPeek } from './apply-peek.ts';
import { type Crawl, crawl } from './crawl.ts';
import { type Corrections, openCorrections } from './guard/corrections.ts';
import { checkNotEmpty } from './guard/guard.ts';
import { checkLasted, noteShrinkage } from './guard/shrink-guard.ts';
import { mergeCrawl, reportOmissions } from './merge-crawl.ts';
import { mergeOngoing } from './merge-pages.ts';
import type { Served } from './mirrors.ts';
import { countOmissions } from './omissions.ts';
import { peek } from './peek.ts';
import { countEntries, type RefreshSummary } from './refresh-summary.ts';
import { noteRepairs } from './selector-repairs.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import {
  afterCrawl,
  afterFailure,
  afterPeek,
  didCrawlFail,
  preferredMirror,
  type Status,
} from './source-state.ts';
import { takeOverResult } from './take-over-result.ts';
import type { RefreshTimes } from './timing/refresh-times.ts';
import { waitForLease } from './wait-for-lease.ts';
import { writeListing } from './write-listing.ts';

const DAY_MS = 24 * 3_600_000;

interface RefreshOptions {
  source: Source;
  store: SnapshotStore;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
  times: RefreshTimes;
}

interface RefreshRequest {
  force: boolean;
  signal: AbortSignal;
  /** Whether page 1 is enough if it adds up with the last good snapshot. Ignored without one. */
  isPeek?: boolean;
  /**
   * When the last crawl, for a peek the last attempt of any kind, ended that the caller knows of; ms since 1970. Without
   * it, the last one that is stored now.
   */
  knownAttempt?: number | null;
}

export type Refresh = (request: RefreshRequest) => Promise<RefreshSummary>;

/** One refresh under the lease. Its steps change `status`, which is written at the end. */
interface Attempt {
  status: Status;
  lastGood: Snapshot | undefined;
  force: boolean;
  signal: AbortSignal;
  startedAt: number;
}

/**
 * The pipeline: crawl → merge → guard → snapshot, or peek → apply → snapshot. One at a time, across processes too: the
 * second one waits and takes over the result of the first. Throws AppError `source-…` when the source was not good; the
 * last good snapshot is kept then.
 */
export function createRefresh({ source, store, report, now, times }: RefreshOptions): Refresh {
  return async ({ force, signal, isPeek = false, knownAttempt }) => {
    const lastAttempt = (status: Status) => (isPeek ? status.attemptedAt : status.crawledAt);
    const before = knownAttempt === undefined ? lastAttempt(await store.readStatus()) : knownAttempt;
    const release = await waitForLease(store, report, signal);
    try {
      const status = await store.readStatus();
      const last = lastAttempt(status);
      if (last !== null && last !== before && !force) return await takeOverResult(store, status);
      const lastGood = await store.readSnapshot();
      const attempt = { status, lastGood, force, signal, startedAt: performance.now() };
      const peeked =
        isPeek && lastGood && !didCrawlFail(status) ? await tryPeek(attempt, lastGood) : undefined;
      return peeked ?? (await tryCrawl(attempt));
    } finally {
      await release();
    }
  };

  /** Returns undefined when page 1 is not enough and a whole crawl has to follow. */
  async function tryPeek(attempt: Attempt, lastGood: Snapshot): Promise<RefreshSummary | undefined> {
    const { status } = attempt;
    try {
      const options = { ...describeCrawl(attempt, false), lastGood, firstPage: status.firstPage };
      const { page, ...served } = await peek(options);
      const ongoing = page ? applyPeek(page, lastGood.ongoing) : lastGood.ongoing;
      if (!ongoing) return mayCrawl(status) ? undefined : await postpone(attempt, lastGood);
      if (page) reportOmissions(mergeOngoing([page], page, lastGood.ongoing).omissions, report);
      return await acceptPeek(attempt, served, { schedule: lastGood.schedule, ongoing });
    } catch (error) {
      const isUnclear = error instanceof AppError && error.code === 'source-changed';
      if (isUnclear && mayCrawl(status)) return undefined;
      return await fail(attempt, error);
    }
  }

  async function tryCrawl(attempt: Attempt): Promise<RefreshSummary> {
    const { status, lastGood, force } = attempt;
    const corrections = openCorrections(status.corrections, now());
    try {
      const crawled = await crawl({ ...describeCrawl(attempt, true), lastGood, force, corrections });
      const listing = mergeCrawl(crawled, lastGood, report);
      checkNotEmpty(listing);
      const known = lastGood && { listing: lastGood, confirmedAt: status.refreshedAt ?? changedAt(lastGood) };
      status.shrinkage = noteShrinkage(listing, known, status.shrinkage, now());
      if (status.shrinkage && !force) checkLasted(status.shrinkage, now());
      return await acceptCrawl(attempt, crawled, listing, corrections);
    } catch (error) {
      status.corrections = corrections.list();
      if (error instanceof AppError) status.crawledAt = now();
      return fail(attempt, error);
    }
  }

  function describeCrawl({ status, lastGood, signal }: Attempt, mayRepair: boolean) {
    const preferred = preferredMirror(status, source.mirrors);
    return {
      source,
      preferred,
      memory: lastGood && { lastGood, repairs: status.repaired, mayRepair },
      report,
      signal,
    };
  }

  async function acceptCrawl(
    attempt: Attempt,
    crawled: Crawl,
    listing: Listing,
    corrections: Corrections,
  ): Promise<RefreshSummary> {
    const { status } = attempt;
    const { snapshot, changes } = await write(listing, attempt.lastGood, crawled);
    status.corrections = corrections.list();
    const omissions = countOmissions(crawled, snapshot);
    const repaired = noteRepairs(status.repaired, crawled.repairs, now(), report);
    const next = { dueAt: times.nextCrawl(), repaired };
    const good = { ...describeServed(status, crawled, snapshot), ...next, ...omissions };
    await store.writeStatus(afterCrawl(status, now(), good));
    reportMirror(status, crawled.mirror);
    const summary = { pages: crawled.pages.length + 2, ...countEntries(snapshot), changes };
    const tookMs = performance.now() - attempt.startedAt;
    report({ type: 'refresh-finished', ...summary, changes: changes.length, tookMs });
    return summary;
  }

  async function acceptPeek(attempt: Attempt, served: Served, listing: Listing): Promise<RefreshSummary> {
    const { status } = attempt;
    const { snapshot, changes } = await write(listing, attempt.lastGood, served);
    await store.writeStatus(afterPeek(status, now(), describeServed(status, served, snapshot)));
    reportMirror(status, served.mirror);
    const tookMs = performance.now() - attempt.startedAt;
    report({ type: 'peek-finished', changes: changes.length, tookMs });
    return { pages: 1, ...countEntries(snapshot), changes };
  }

  function write(listing: Listing, lastGood: Snapshot | undefined, { mirror }: Pick<Served, 'mirror'>) {
    return writeListing({ store, now, mirror }, listing, lastGood);
  }

  function describeServed(status: Status, { asked, mirror, firstPage }: Served, snapshot: Snapshot) {
    const askedMirror = source.mirrors.includes(asked) ? asked : status.askedMirror;
    const peekDueAt = times.nextPeek(snapshot);
    return { mirror, askedMirror, firstPage, peekDueAt, changedAt: changedAt(snapshot) };
  }

  /** Leaves a change of page 1 to the next crawl of the timer. Until then the list counts as overdue. */
  async function postpone({ status, startedAt }: Attempt, lastGood: Snapshot): Promise<RefreshSummary> {
    await store.writeStatus(afterPeek(status, now(), {}));
    report({ type: 'peek-finished', changes: 0, tookMs: performance.now() - startedAt });
    return { pages: 1, ...countEntries(lastGood), changes: [] };
  }

  async function fail({ status, lastGood }: Attempt, error: unknown): Promise<never> {
    if (!(error instanceof AppError)) throw error;
    const failed = afterFailure(status, now(), error, times);
    await store.writeStatus(failed);
    const isNews = failed.state !== status.state;
    const hasSnapshot = lastGood !== undefined;
    const nextAttempt = times.afterFailure(failed, hasSnapshot);
    report({ type: 'refresh-refused', error, isNews, hasSnapshot, nextAttempt });
    throw error;
  }

  /** A peek may lead to a crawl a few times a day, so that a source that never adds up is not crawled all day. */
  function mayCrawl(status: Status): boolean {
    const recent = status.peekCrawls.filter((at) => at > now() - DAY_MS && at <= now());
    const isAllowed = recent.length < times.maxPeekCrawls;
    status.peekCrawls = isAllowed ? [...recent, now()] : recent;
    return isAllowed;
  }

  function reportMirror({ mirror: from }: Status, to: string): void {
    if (from && from !== to) report({ type: 'mirror-changed', from, to });
  }
}
