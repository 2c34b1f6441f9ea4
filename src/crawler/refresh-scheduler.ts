import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Refresh } from './refresh.ts';
import type { SnapshotSync } from './snapshot-sync.ts';
import { type Status, usableStatus } from './source-state.ts';
import type { RefreshTimer } from './timing/cron.ts';
import { nextPeekAt } from './timing/refresh-times.ts';

/** The wait after a refresh that failed because of the store; it doubles with each further failure. */
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 5 * 60_000;
/** The same where the source had been asked already. It grows to the interval of the timer. */
const ASKED_RETRY_MS = 30_000;

/** Limits of a single wait: meanwhile the clock may be set, the machine may sleep, and a snapshot may arrive. */
const MIN_WAIT_MS = 100;
const MAX_WAIT_MS = 30_000;

export interface RefreshScheduler {
  /** When a crawl is due, counted from the last good one: overdue when it is past. Null without a timer. */
  dueAt(): number | null;
  /** When a crawl or a peek is due, counted from the last good one of either. Null without a timer. */
  ongoingDueAt(): number | null;
  /** When the source is asked next; null without a timer. */
  nextAttempt(): number | null;
  /** Whether this process is refreshing right now. */
  isRefreshing(): boolean;
  /** Aborts a refresh under way and waits for its end. */
  stop(): Promise<void>;
}

interface RefreshSchedulerOptions {
  refresh: Refresh;
  /** Undefined for a process that only serves: it does not refresh on start either. */
  timer: RefreshTimer | undefined;
  /** The time between two peeks; null for none. */
  peekMs: number | null;
  sync: Pick<SnapshotSync, 'snapshot' | 'status'>;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/**
 * Crawls at once when the snapshot is missing or overdue, then does what comes next; again when the store failed: soon where
 * that cost the source nothing, else with a longer backoff.
 */
export function startRefreshScheduler(options: RefreshSchedulerOptions): RefreshScheduler {
  const { refresh, timer, peekMs, sync, report, now } = options;
  const stopping = new AbortController();
  let underWay: Promise<void> | undefined;
  let failures = 0;
  /** When this process began its last crawl, or started. */
  let since = now();
  /** When a crawl is repeated because the store failed; null when it did not. */
  let storeRetryAt: number | null = null;
  let waiting: NodeJS.Timeout | undefined;

  if (timer && (!sync.snapshot() || (dueAt() ?? 0) <= now())) start(false);
  else wait();

  function status(): Status {
    return usableStatus(sync.status(), now());
  }

  /**
   * What comes next, and when: a crawl at the first fire time after the last crawl of any process and after its backoff, so
   * that of several that were missed, one is made up for; without a snapshot also when the backoff ends. Else a peek.
   */
  function next(): { at: number; isPeek: boolean } {
    if (!timer) return { at: Infinity, isPeek: false };
    const known = status();
    const hasSnapshot = sync.snapshot() !== undefined;
    const retryAt = known.retryAt ?? 0;
    const fireAt = timer.fireTimeAfter(Math.max(since, known.crawledAt ?? 0, retryAt - 1));
    const repeatAt = !hasSnapshot && known.failures > 0 ? retryAt : Infinity;
    const crawlAt = Math.min(fireAt, storeRetryAt ?? repeatAt);
    const hasPeeks = hasSnapshot && peekMs !== null && storeRetryAt === null;
    const peekAt = hasPeeks ? nextPeekAt(known, peekMs) : Infinity;
    const isPeek = crawlAt > now() && peekAt < crawlAt;
    return { at: isPeek ? peekAt : crawlAt, isPeek };
  }

  /** Starts what is due, or waits for it. */
  function wait(): void {
    if (!timer || stopping.signal.aborted) return;
    since = Math.min(since, now());
    const { at, isPeek } = next();
    const waitMs = Math.min(Math.max(at - now(), MIN_WAIT_MS), peekMs ?? Infinity, MAX_WAIT_MS);
    if (at <= now()) start(isPeek);
    else waiting = setTimeout(wait, waitMs);
  }

  function start(isPeek: boolean): void {
    const { attemptedAt, crawledAt } = sync.status();
    const knownAttempt = isPeek ? attemptedAt : crawledAt;
    let wasAsked = false;
    const onAsk = () => {
      wasAsked = true;
    };
    if (!isPeek) since = now();
    storeRetryAt = null;
    underWay = refresh({ force: false, signal: stopping.signal, isPeek, knownAttempt, onAsk })
      .then(() => noteFailure(undefined, wasAsked))
      .catch((error: unknown) => noteFailure(error, wasAsked))
      .finally(() => {
        underWay = undefined;
        const { at, isPeek: isNextPeek } = next();
        // What an attempt has written is read a moment later.
        if (isPeek && !isNextPeek && at <= now()) wait();
        else waiting = setTimeout(wait, MIN_WAIT_MS);
      });
  }

  function noteFailure(error: unknown, wasAsked: boolean): void {
    const isOfStore = error !== undefined && !(error instanceof AppError);
    if (!isOfStore) failures = 0;
    if (!isOfStore || stopping.signal.aborted) return;
    if (failures === 0) report({ type: 'store-failed', doing: 'refreshing', error });
    const [firstMs, maxMs] = wasAsked ? [ASKED_RETRY_MS, timer?.intervalMs ?? 0] : [RETRY_MS, MAX_RETRY_MS];
    storeRetryAt = now() + Math.min(firstMs * 2 ** failures, maxMs);
    failures += 1;
  }

  /** After a change of REFRESH_CRON the timer may fire before the time that was stored under the old value. */
  function dueAt(): number | null {
    const { dueAt: noted, refreshedAt } = status();
    return timer ? Math.min(noted ?? Infinity, timer.fireTimeAfter(refreshedAt ?? 0)) : noted;
  }

  function ongoingDueAt(): number | null {
    const crawlAt = dueAt();
    const { peekDueAt } = status();
    return crawlAt === null || (timer && peekMs === null)
      ? crawlAt
      : Math.min(crawlAt, peekDueAt ?? Infinity);
  }

  return {
    dueAt,
    ongoingDueAt,
    nextAttempt: () => (timer ? next().at : null),
    isRefreshing: () => underWay !== undefined,
    async stop() {
      stopping.abort();
      clearTimeout(waiting);
      await underWay;
    },
  };
}
