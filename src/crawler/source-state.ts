import type { AppError } from '../domain/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/units.ts';
import type { Pending } from './belief/pending.ts';
import type { Repair } from './selector-repairs.ts';

/** The longest backoff: this many intervals of the timer, and six hours at most. */
const MAX_BACKOFF_INTERVALS = 8;
const MAX_BACKOFF_MS = 6 * HOUR_MS;
/** The backoff while there is no snapshot to serve: it doubles from the first to the second of these. */
const FIRST_CRAWL_BACKOFF_MS = 30_000;
const MAX_FIRST_CRAWL_BACKOFF_MS = 5 * 60_000;
/** A longer Retry-After than this is cut. */
const MAX_RETRY_AFTER_MS = 6 * HOUR_MS;

/** A mirror that failed is tried again after this time. */
const MIRROR_RETRY_MS = HOUR_MS - 10 * MINUTE_MS;

/** The clocks of the machines that share a store may differ by this much. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** How the source was at the last attempt. */
export type SourceState = 'ok' | 'blocked' | 'moved' | 'changed' | 'down';

/** The stored state of the source and of the last attempts, shared by all processes; times in ms since 1970. */
export interface Status {
  /** Null before the first attempt. */
  state: SourceState | null;
  /** Since when the source has been in this state. */
  since: number | null;
  /** Since when the source has not been ok, in any of the other states; null when it is ok. */
  troubleSince: number | null;
  /** Why the source is not ok; null when it is. */
  reason: string | null;
  /** The end of the last attempt, a crawl or a peek, whether it succeeded or not. */
  attemptedAt: number | null;
  /** The end of the last crawl, whether it succeeded or not. */
  crawledAt: number | null;
  /** Failed attempts since the last good one. */
  failures: number;
  /** The end of the backoff: the timer sends no request before it. Null without a backoff. */
  retryAt: number | null;
  /** The end of the last good crawl. */
  refreshedAt: number | null;
  /** When the stored snapshot last changed. */
  changedAt: number | null;
  /** When the timer crawls next after the last good crawl; null without a timer. */
  dueAt: number | null;
  /** When page 1 is to be read next after the last good crawl or peek; null without peeks. */
  peekDueAt: number | null;
  /** Digest of page 1 as the last good crawl or peek read it. */
  firstPage: string | null;
  /** When peeks led to a crawl, in the last 24 hours. */
  peekCrawls: number[];
  /** The origin that served the last good crawl. */
  mirror: string | null;
  /** The configured origin that was requested then: `mirror` itself, or one that redirected to it. */
  askedMirror: string | null;
  /** A share (0 to 1) of the jitter, drawn once for all processes on a store, so that their timers fire together. */
  jitter: number;
  /** When origins failed that were tried before the one that served; those of the last hour. */
  mirrorFailures: Record<string, number>;
  /** What the last crawl showed that waits for others to agree; null when nothing does. */
  pending: Pending | null;
  /** How many cards of the last good crawl were left out, and how many have the record of an earlier crawl. */
  omitted: number;
  keptFromBefore: number;
  /** The selectors that the last good crawl read by in place of the written ones. */
  repaired: Repair[];
}

/** Whether the status was written while a clock was ahead, so that its times cannot be used. */
export function isFromFuture({ attemptedAt, refreshedAt }: Status, now: number): boolean {
  return Math.max(attemptedAt ?? 0, refreshedAt ?? 0) > now + MAX_CLOCK_SKEW_MS;
}

/** The end of the backoff, ms since 1970; 0 when there is none. */
export function backoffEnd(status: Status, now: number): number {
  return isFromFuture(status, now) ? 0 : (status.retryAt ?? 0);
}

export function initialStatus(jitter: number): Status {
  return {
    state: null,
    since: null,
    troubleSince: null,
    reason: null,
    attemptedAt: null,
    crawledAt: null,
    failures: 0,
    retryAt: null,
    refreshedAt: null,
    changedAt: null,
    dueAt: null,
    peekDueAt: null,
    firstPage: null,
    peekCrawls: [],
    mirror: null,
    askedMirror: null,
    jitter,
    pending: null,
    omitted: 0,
    keptFromBefore: 0,
    mirrorFailures: {},
    repaired: [],
  };
}

/**
 * The origins to ask, in the order of the configuration. One that redirects is preceded by its target. Those that have just
 * failed come last.
 */
export function orderMirrors(status: Status, configured: readonly string[], now: number): string[] {
  const { mirror, askedMirror, mirrorFailures } = status;
  const origins = configured.flatMap((one) => (one === askedMirror && mirror ? [mirror, one] : [one]));
  const hasFailed = (one: string) => {
    const at = mirrorFailures[one] ?? 0;
    return at > now - MIRROR_RETRY_MS && at <= now;
  };
  const { true: failed = [], false: others = [] } = Object.groupBy(
    [...new Set(origins)],
    (one) => `${hasFailed(one)}`,
  );
  return [...others, ...failed];
}

/**
 * Whether a crawl has to follow the last one, which failed. Where only the other pages were bad, one more has to, if there
 * is no reason to wait; then page 1 goes on to show what is new.
 */
export function mustCrawl({ state, attemptedAt, crawledAt, failures, pending }: Status): boolean {
  const didCrawlFail = state !== 'ok' && attemptedAt === crawledAt;
  return didCrawlFail && (state !== 'changed' || (failures === 1 && !pending));
}

/** What a good crawl and a good peek both update. */
export type GoodRead = Pick<
  Status,
  'mirror' | 'askedMirror' | 'mirrorFailures' | 'changedAt' | 'firstPage' | 'peekDueAt'
>;

export function afterCrawl(
  status: Status,
  now: number,
  good: GoodRead & Pick<Status, 'dueAt' | 'repaired' | 'omitted' | 'keptFromBefore'>,
): Status {
  return { ...recover(status, now), ...good, crawledAt: now, refreshedAt: now, pending: null };
}

/**
 * `good` is empty when page 1 was not read successfully: the next crawl counts as overdue then. Page 1 does not show that
 * pages are good again that a crawl has refused.
 */
export function afterPeek(status: Status, now: number, good: Partial<GoodRead>): Status {
  const isRefused = status.state === 'changed';
  const recovered = isRefused
    ? { ...status, attemptedAt: now, failures: 0, retryAt: null }
    : recover(status, now);
  return { ...recovered, ...good };
}

/** After a crawl that is pending. The next ones have to show whether it lasts, so there is no backoff. */
export function afterPending(status: Status, now: number, pending: Pending, good: GoodRead): Status {
  const entered = enter(status, 'changed', pending.reason, now);
  return { ...entered, ...good, failures: 0, retryAt: null, crawledAt: now, pending };
}

/** `intervalMs`: the minimum time between two attempts; `maxMs`: the longest backoff, where there is a snapshot. */
export function afterFailure(
  status: Status,
  now: number,
  error: AppError,
  options: { intervalMs: number; maxMs: number; hasSnapshot: boolean },
): Status {
  const failures = status.failures + 1;
  const waitMs = Math.max(
    options.hasSnapshot ? backoffMs(failures, options) : firstCrawlBackoffMs(failures),
    Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS),
  );
  return {
    ...enter(status, stateOf(error), error.message, now),
    failures,
    retryAt: waitMs > 0 ? now + waitMs : null,
  };
}

/** The longest backoff where crawls come at this interval. */
export function maxBackoffMs(crawlIntervalMs: number): number {
  return Math.min(MAX_BACKOFF_INTERVALS * crawlIntervalMs, MAX_BACKOFF_MS);
}

/** No backoff after the first failure, which waits for the timer; then 1, 3, 7, … intervals. */
function backoffMs(failures: number, { intervalMs, maxMs }: { intervalMs: number; maxMs: number }): number {
  return Math.min((2 ** (failures - 1) - 1) * intervalMs, maxMs);
}

function firstCrawlBackoffMs(failures: number): number {
  return Math.min(FIRST_CRAWL_BACKOFF_MS * 2 ** (failures - 1), MAX_FIRST_CRAWL_BACKOFF_MS);
}

function recover(status: Status, now: number): Status {
  return { ...enter(status, 'ok', null, now), failures: 0, retryAt: null };
}

function enter(status: Status, state: SourceState, reason: string | null, now: number): Status {
  const since = status.state === state ? status.since : now;
  const troubleSince = state === 'ok' ? null : (troubleBefore(status) ?? now);
  return { ...status, state, since, troubleSince, reason, attemptedAt: now };
}

/** A status that was stored before `troubleSince` was kept has `since` alone. */
function troubleBefore({ state, since, troubleSince }: Status): number | null {
  return state === null || state === 'ok' ? null : (troubleSince ?? since);
}

function stateOf(error: AppError): SourceState {
  switch (error.code) {
    case 'source-blocked':
      return 'blocked';
    case 'source-moved':
      return 'moved';
    case 'source-down':
      return 'down';
    default:
      return 'changed';
  }
}
