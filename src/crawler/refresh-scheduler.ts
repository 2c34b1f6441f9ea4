import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Refresh } from './refresh.ts';
import type { RefreshTimer } from './refresh-timer.ts';
import type { SnapshotSync } from './snapshot-sync.ts';
import { isFromFuture, type Status } from './source-state.ts';

/** The wait after the store failed a refresh; it doubles with each further failure. */
const RETRY_MS = 2_000;
const MAX_RETRY_MS = 5 * 60_000;

export interface RefreshScheduler {
  /** When a crawl is due, counted from the last good one: overdue when it is past. Null where nothing is timed. */
  dueAt(): number | null;
  /** When the source is asked next; null where nothing is timed. */
  nextAttempt(): number | null;
  /** Whether this process is refreshing right now. */
  isRefreshing(): boolean;
  /** Aborts a refresh under way and waits for its end. */
  stop(): Promise<void>;
}

export interface RefreshSchedulerOptions {
  refresh: Refresh;
  /** Undefined for a process that only serves: it does not refresh on start either. */
  timer: RefreshTimer | undefined;
  sync: SnapshotSync;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/**
 * Refreshes at once when the snapshot is missing or overdue, or the store has lost it, then at every moment of the
 * timer. A refresh that the store failed is retried soon, because it costs the source nothing. A status from the
 * future, written while a clock was ahead, is ignored.
 */
export function startRefreshScheduler({
  refresh,
  timer,
  sync,
  report,
  now,
}: RefreshSchedulerOptions): RefreshScheduler {
  const stopping = new AbortController();
  let underWay: Promise<void> | undefined;
  let failures = 0;
  let retry: { timer: NodeJS.Timeout; at: number } | undefined;
  let due: { of: Status; at: number | null } | undefined;

  if (timer) {
    sync.onEmptied(refill);
    if (!sync.snapshot() || (dueAt() ?? 0) <= now()) refreshNow();
    timer.start((moment) => {
      const status = sync.status();
      const wasDoneElsewhere = status.attemptedAt !== null && status.attemptedAt >= moment;
      if (isFromFuture(status, now()) || (!wasDoneElsewhere && moment >= retryAt())) refreshNow();
    });
  }

  function refreshNow(): void {
    stopRetry();
    if (stopping.signal.aborted) return;
    underWay ??= refresh({ force: false, signal: stopping.signal, knownAttempt: sync.status().attemptedAt })
      .then(noteEnd, (error: unknown) => {
        if (error instanceof AppError) noteEnd();
        else if (!stopping.signal.aborted) noteFailure(error);
      })
      .finally(() => {
        underWay = undefined;
      });
  }

  /** A refresh under way may have written into the store that was lost, so another one follows it. */
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

  /** The end of the backoff, ms since 1970; 0 when there is none. */
  function retryAt(): number {
    const status = sync.status();
    return isFromFuture(status, now()) ? 0 : (status.retryAt ?? 0);
  }

  function nextAttempt(): number | null {
    if (!timer) return null;
    return Math.min(retry?.at ?? Number.POSITIVE_INFINITY, timer.nextMoment(retryAt()));
  }

  function dueAt(): number | null {
    const status = sync.status();
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
