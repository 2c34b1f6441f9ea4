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
 * crawls again at the end of the backoff. One timer waits for the first of these moments. Ignores the times of a status from
 * the future, which was written while a clock was ahead.
 */
export function startRefreshScheduler(options: RefreshSchedulerOptions): RefreshScheduler {
  const { refresh, timer, sync, report, now } = options;
  const peekMs = timer ? options.peekMs : null;
  const stopping = new AbortController();
  let underWay: Promise<void> | undefined;
  let failures = 0;
  /** When the timer fires next, and when a crawl is repeated because the store failed. */
  let fireTime = Infinity;
  let retryTime = Infinity;
  let waiting: NodeJS.Timeout | undefined;
  /** Kept for each status: what was due stays due while the next fire time moves on with the clock. */
  let due: { of: Status; at: number | null } | undefined;

  if (timer && (!sync.snapshot() || (dueAt() ?? 0) <= now())) start(false);
  else wait();

  /** Starts what is due, or waits for it. Of several fire times that were missed, only one is made up for. */
  function wait(): void {
    if (!timer || stopping.signal.aborted) return;
    const hasFired = now() >= fireTime;
    const mustCrawl = (hasFired && !isSettled(fireTime)) || now() >= retryTime;
    fireTime = hasFired ? timer.nextFireTime() : Math.min(fireTime, timer.nextFireTime());
    const isPeek = !mustCrawl && sync.snapshot() !== undefined;
    const turn = retryTime === Infinity ? nextTurn() : Infinity;
    if (mustCrawl || turn <= now()) {
      start(isPeek);
      return;
    }
    const waitMs = Math.max(Math.min(fireTime, retryTime, turn) - now(), MIN_WAIT_MS);
    waiting = setTimeout(wait, Math.min(waitMs, peekMs ?? Infinity, MAX_WAIT_MS));
  }

  /** Whether no crawl is needed at a fire time: it was made elsewhere, or the source is not to be asked yet. */
  function isSettled(time: number): boolean {
    const status = sync.status();
    const wasDone = status.crawledAt !== null && status.crawledAt >= time;
    return !isFromFuture(status, now()) && (wasDone || time < backoffEnd(status, now()));
  }

  function start(isPeek: boolean): void {
    const { attemptedAt, crawledAt } = sync.status();
    const knownAttempt = isPeek ? attemptedAt : crawledAt;
    let wasAsked = false;
    const onAsk = () => {
      wasAsked = true;
    };
    retryTime = Infinity;
    underWay = refresh({ force: false, signal: stopping.signal, isPeek, knownAttempt, onAsk })
      .then(() => noteFailure(undefined, wasAsked))
      .catch((error: unknown) => noteFailure(error, wasAsked))
      .finally(() => {
        underWay = undefined;
        // What an attempt has written is read a moment later.
        if (now() >= fireTime) wait();
        else waiting = setTimeout(wait, MIN_WAIT_MS);
      });
  }

  function noteFailure(error: unknown, wasAsked: boolean): void {
    const isOfStore = error !== undefined && !(error instanceof AppError);
    if (!isOfStore) failures = 0;
    if (!isOfStore || stopping.signal.aborted) return;
    if (failures === 0) report({ type: 'store-failed', doing: 'refreshing', error });
    const [firstMs, maxMs] = wasAsked ? [ASKED_RETRY_MS, timer?.intervalMs ?? 0] : [RETRY_MS, MAX_RETRY_MS];
    retryTime = now() + Math.min(firstMs * 2 ** failures, maxMs);
    failures += 1;
  }

  function nextAttempt(): number | null {
    if (!timer) return null;
    const turn = retryTime === Infinity ? nextTurn() : retryTime;
    return Math.min(turn, timer.nextFireTime(backoffEnd(sync.status(), now())));
  }

  /** When a peek comes next, or without a snapshot, the crawl that repeats a failed one. */
  function nextTurn(): number {
    const status = sync.status();
    if (!sync.snapshot()) return status.failures > 0 ? backoffEnd(status, now()) : Infinity;
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
      clearTimeout(waiting);
      await underWay;
    },
  };
}
