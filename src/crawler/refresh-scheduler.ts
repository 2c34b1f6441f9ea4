import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Refresh } from './refresh.ts';
import type { RefreshTimer } from './refresh-timer.ts';
import type { SnapshotSync } from './snapshot-sync.ts';
import { isFromFuture, type Status } from './source-state.ts';

/** How long after a store failed a refresh is tried again, twice as long after each further time. */
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 5 * 60_000;

export interface RefreshScheduler {
  /** When a crawl is due, counted from the last good one: overdue when it is past. Null where nothing is timed. */
  dueAt(): number | null;
  /** When the source is asked next; null where nothing is timed. */
  nextAttempt(): number | null;
  /** Whether this process is refreshing right now. */
  isRefreshing(): boolean;
  /** Breaks a refresh under way off and waits until it has let go. */
  stop(): Promise<void>;
}

export interface RefreshSchedulerOptions {
  refresh: Refresh;
  /** Undefined for a process that only serves: it does not refresh on start either. */
  timer: RefreshTimer | undefined;
  view: SnapshotSync;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/**
 * Refreshes at once when the snapshot is missing or overdue, or the store has lost it, then at every moment of the
 * timer, and soon again when the store failed: it is asked before the source is. A status from the future, which a
 * clock that was ahead has left, keeps nothing from being refreshed.
 */
export function startRefreshScheduler({
  refresh,
  timer,
  view,
  report,
  now,
}: RefreshSchedulerOptions): RefreshScheduler {
  const stopping = new AbortController();
  let underWay: Promise<void> | undefined;
  let failures = 0;
  let retry: { timer: NodeJS.Timeout; at: number } | undefined;
  let due: { of: Status; at: number | null } | undefined;

  if (timer) {
    view.onEmptied(refill);
    if (!view.snapshot() || (dueAt() ?? 0) <= now()) refreshNow();
    timer.start((moment) => {
      const status = view.status();
      const wasDoneElsewhere = status.attemptedAt !== null && status.attemptedAt >= moment;
      if (isFromFuture(status, now()) || (!wasDoneElsewhere && moment >= retryAt())) refreshNow();
    });
  }

  function refreshNow(): void {
    stopRetry();
    if (stopping.signal.aborted) return;
    underWay ??= refresh({ force: false, signal: stopping.signal, knownAttempt: view.status().attemptedAt })
      .then(noteEnd, (error: unknown) => {
        if (error instanceof AppError) noteEnd();
        else if (!stopping.signal.aborted) noteFailure(error);
      })
      .finally(() => {
        underWay = undefined;
      });
  }

  /** What is under way may have written already into what was lost. */
  function refill(): void {
    if (underWay) void underWay.then(refreshNow);
    else refreshNow();
  }

  function noteEnd(): void {
    failures = 0;
  }

  function noteFailure(error: unknown): void {
    if (failures === 0) report({ type: 'store-failed', doing: 'refreshing', error });
    const waitMs = Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS);
    retry = { timer: setTimeout(refreshNow, waitMs), at: now() + waitMs };
    failures += 1;
  }

  function stopRetry(): void {
    clearTimeout(retry?.timer);
    retry = undefined;
  }

  /** Until when the timer leaves the source alone. */
  function retryAt(): number {
    const status = view.status();
    return isFromFuture(status, now()) ? 0 : (status.retryAt ?? 0);
  }

  function nextAttempt(): number | null {
    if (!timer) return null;
    return Math.min(retry?.at ?? Number.POSITIVE_INFINITY, timer.nextMoment(retryAt()));
  }

  function dueAt(): number | null {
    const status = view.status();
    if (isFromFuture(status, now())) return now();
    if (due?.of !== status) due = { of: status, at: findDueAt(status) };
    return due.at;
  }

  /** Under a changed REFRESH_CRON the timer may fire before what was noted under the old one. */
  function findDueAt({ dueAt: noted, refreshedAt }: Status): number | null {
    if (!timer) return noted;
    return Math.min(noted ?? (refreshedAt ?? 0) + timer.intervalMs, timer.nextMoment());
  }

  return {
    dueAt,
    nextAttempt,
    isRefreshing: () => underWay !== undefined,
    async stop() {
      timer?.stop();
      stopping.abort();
      stopRetry();
      await underWay;
    },
  };
}
