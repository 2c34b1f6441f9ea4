import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Refresh } from './refresh.ts';
import type { SnapshotSync } from './snapshot-sync.ts';
import { backoffEnd, isFromFuture, type Status } from './source-state.ts';
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
  sync: SnapshotSync;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/**
 * Crawls at once when the snapshot is missing or overdue, then whenever the timer fires, and again when the store failed:
 * soon where that cost the source nothing, else with a longer backoff. Between these crawls, peeks; without a snapshot,
 * crawls again at the end of the backoff. Ignores a status from the future, which was written while a clock was ahead.
 */
export function startRefreshScheduler(options: RefreshSchedulerOptions): RefreshScheduler {
  const { refresh, timer, sync, report, now } = options;
  const peekMs = timer ? options.peekMs : null;
  const stopping = new AbortController();
  let underWay: { isPeek: boolean; end: Promise<void> } | undefined;
  let isCrawlWanted = false;
  let failures = 0;
  let retry: { timer: NodeJS.Timeout; at: number } | undefined;
  let waiting: NodeJS.Timeout | undefined;
  /** Kept for each status: what was due stays due while the next fire time moves on with the clock. */
  let due: { of: Status; at: number | null } | undefined;

  if (timer) {
    if (!sync.snapshot() || (dueAt() ?? 0) <= now()) crawlNow();
    wait(timer);
  }

  /** Waits for the next fire time or turn. Of several fire times that were missed, only one is made up for. */
  function wait(crawls: RefreshTimer): void {
    const fireTime = crawls.nextFireTime();
    const longestMs = Math.min(peekMs ?? Infinity, MAX_WAIT_MS);
    // The fire time may have passed since it was found.
    const fireMs = Math.max(fireTime - now(), 0);
    const waitMs = Math.min(fireMs, Math.max(nextTurn() - now(), MIN_WAIT_MS), longestMs);
    waiting = setTimeout(() => {
      wait(crawls);
      if (now() >= fireTime) fire(fireTime);
      else if (nextTurn() <= now() && !retry) start(sync.snapshot() !== undefined);
    }, waitMs);
  }

  function fire(fireTime: number): void {
    const status = sync.status();
    const wasDoneElsewhere = status.crawledAt !== null && status.crawledAt >= fireTime;
    if (isFromFuture(status, now()) || (!wasDoneElsewhere && fireTime >= retryAt())) crawlNow();
  }

  function crawlNow(): void {
    stopRetry();
    if (underWay?.isPeek) isCrawlWanted = true;
    else start(false);
  }

  function start(isPeek: boolean): void {
    if (underWay || stopping.signal.aborted) return;
    const { attemptedAt, crawledAt } = sync.status();
    const knownAttempt = isPeek ? attemptedAt : crawledAt;
    let wasAsked = false;
    const onAsk = () => {
      wasAsked = true;
    };
    const end = refresh({ force: false, signal: stopping.signal, isPeek, knownAttempt, onAsk })
      .then(resetFailures, (error: unknown) =>
        error instanceof AppError ? resetFailures() : noteFailure(error, wasAsked),
      )
      .finally(() => {
        underWay = undefined;
        if (isCrawlWanted) start(false);
      });
    if (!isPeek) isCrawlWanted = false;
    underWay = { isPeek, end };
  }

  function resetFailures(): void {
    failures = 0;
  }

  function noteFailure(error: unknown, wasAsked: boolean): void {
    if (stopping.signal.aborted) return;
    if (failures === 0) report({ type: 'store-failed', doing: 'refreshing', error });
    const [firstMs, maxMs] = wasAsked ? [ASKED_RETRY_MS, timer?.intervalMs ?? 0] : [RETRY_MS, MAX_RETRY_MS];
    const waitMs = Math.min(firstMs * 2 ** failures, maxMs);
    retry = { timer: setTimeout(crawlNow, waitMs), at: now() + waitMs };
    failures += 1;
  }

  function stopRetry(): void {
    clearTimeout(retry?.timer);
    retry = undefined;
  }

  function retryAt(): number {
    return backoffEnd(sync.status(), now());
  }

  function nextAttempt(): number | null {
    if (!timer) return null;
    return Math.min(retry?.at ?? nextTurn(), timer.nextFireTime(retryAt()));
  }

  /** When a peek comes next, or without a snapshot, the crawl that repeats a failed one. */
  function nextTurn(): number {
    const status = sync.status();
    if (!sync.snapshot()) return status.failures > 0 ? retryAt() : Infinity;
    return peekMs === null ? Infinity : nextPeekAt(status, peekMs, now());
  }

  function dueAt(): number | null {
    const status = sync.status();
    if (isFromFuture(status, now())) return now();
    if (due?.of !== status) due = { of: status, at: findDueAt(status) };
    return due.at;
  }

  /** After a change of REFRESH_CRON the timer may fire before the time that was stored under the old value. */
  function findDueAt({ dueAt: noted, refreshedAt }: Status): number | null {
    if (!timer) return noted;
    return Math.min(noted ?? (refreshedAt ?? 0) + timer.intervalMs, timer.nextFireTime());
  }

  function ongoingDueAt(): number | null {
    const crawlAt = dueAt();
    const { peekDueAt } = sync.status();
    return crawlAt === null || (timer && peekMs === null)
      ? crawlAt
      : Math.min(crawlAt, peekDueAt ?? Infinity);
  }

  return {
    dueAt,
    ongoingDueAt,
    nextAttempt,
    isRefreshing: () => underWay !== undefined,
    async stop() {
      stopping.abort();
      stopRetry();
      clearTimeout(waiting);
      await underWay?.end;
    },
  };
}
