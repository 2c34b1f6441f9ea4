import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Status } from '../store/source-status.ts';
import type { Refresh } from './refresh.ts';
import { usableStatus } from './source-state.ts';
import type { RefreshTimer } from './timing/cron.ts';
import type { RefreshTimes } from './timing/refresh-times.ts';

/**
 * The wait after a refresh that failed because of the store; it doubles with each further failure. A day has so few of them
 * that the source could be asked each time.
 */
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 20 * 60_000;

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
  times: Pick<RefreshTimes, 'nextAttempt'>;
  store: Pick<SnapshotStore, 'known'>;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Crawls at once when the snapshot is missing or overdue, then does what comes next; again with a backoff when the store failed. */
export function startRefreshScheduler(options: RefreshSchedulerOptions): RefreshScheduler {
  const { refresh, timer, peekMs, times, store, report, now } = options;
  const stopping = new AbortController();
  let underWay: Promise<void> | undefined;
  let failures = 0;
  /** When this process began its last crawl, or started. */
  let since = now();
  /** When a crawl is repeated because the store failed; null when it did not. */
  let storeRetryAt: number | null = null;
  let waiting: NodeJS.Timeout | undefined;

  if (timer && (!store.known().listing || (dueAt() ?? 0) <= now())) start(false);
  else wait();

  function status(): Status {
    return usableStatus(store.known().status, now());
  }

  function next() {
    return times.nextAttempt(status(), store.known().listing !== undefined, since, storeRetryAt);
  }

  /** Starts the due refresh, or waits for it. */
  function wait(): void {
    since = Math.min(since, now());
    const action = next();
    if (!action || stopping.signal.aborted) return;
    if (action.at <= now()) start(action.isPeek);
    else waiting = setTimeout(wait, Math.min(Math.max(action.at - now(), MIN_WAIT_MS), MAX_WAIT_MS));
  }

  function start(isPeek: boolean): void {
    const { attemptedAt, crawledAt } = store.known().status.attempts;
    const knownAttempt = isPeek ? attemptedAt : crawledAt;
    if (!isPeek) since = now();
    storeRetryAt = null;
    underWay = refresh({ force: false, signal: stopping.signal, isPeek, knownAttempt })
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      })
      .then(() => {
        failures = 0;
      }, noteStoreFailure)
      .finally(() => {
        underWay = undefined;
        waiting = setTimeout(wait, MIN_WAIT_MS);
      });
  }

  function noteStoreFailure(error: unknown): void {
    if (stopping.signal.aborted) return;
    if (failures === 0) report({ type: 'store-failed', doing: 'refreshing', error });
    storeRetryAt = now() + Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS);
    failures += 1;
  }

  /** After a change of REFRESH_CRON the timer may fire before the time that was stored under the old value. */
  function dueAt(): number | null {
    const { due, crawl } = status();
    return timer ? Math.min(due.dueAt ?? Infinity, timer.fireTimeAfter(crawl.refreshedAt ?? 0)) : due.dueAt;
  }

  function ongoingDueAt(): number | null {
    const crawlAt = dueAt();
    const { peekDueAt } = status().due;
    return crawlAt === null || (timer && peekMs === null)
      ? crawlAt
      : Math.min(crawlAt, peekDueAt ?? Infinity);
  }

  return {
    dueAt,
    ongoingDueAt,
    nextAttempt: () => next()?.at ?? null,
    isRefreshing: () => underWay !== undefined,
    async stop() {
      stopping.abort();
      clearTimeout(waiting);
      await underWay;
    },
  };
}
