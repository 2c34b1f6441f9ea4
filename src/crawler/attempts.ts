import type { AppError } from '../domain/errors.ts';
import { DAY_MS, HOUR_MS } from '../domain/units.ts';
import type { Attempts } from '../store/source-status.ts';

/** The backoff while there is no snapshot to serve: it doubles from the first to the second of these. */
const FIRST_CRAWL_BACKOFF_MS = 30_000;
const MAX_FIRST_CRAWL_BACKOFF_MS = 5 * 60_000;
/** A longer Retry-After than this is cut. */
const MAX_RETRY_AFTER_MS = 6 * HOUR_MS;

/** After an attempt at `now` that has not failed. */
export function noteAttempt(attempts: Attempts, now: number): Attempts {
  return { ...attempts, attemptedAt: now, failures: 0, retryAt: null };
}

/** After a crawl at `now`, whether it succeeded or not. */
export function noteCrawl(attempts: Attempts, now: number): Attempts {
  return { ...attempts, crawledAt: now };
}

/** `intervalMs`: the minimum time between two attempts; `maxMs`: the longest backoff, where there is a snapshot. */
export function noteFailure(
  attempts: Attempts,
  now: number,
  error: AppError,
  { intervalMs, maxMs, hasSnapshot }: { intervalMs: number; maxMs: number; hasSnapshot: boolean },
): Attempts {
  const failures = attempts.failures + 1;
  // With a snapshot, there is none after the first failure, which waits for the timer; then it is of 1, 3, 7, … intervals.
  const backoffMs = hasSnapshot
    ? Math.min((2 ** (failures - 1) - 1) * intervalMs, maxMs)
    : Math.min(FIRST_CRAWL_BACKOFF_MS * 2 ** (failures - 1), MAX_FIRST_CRAWL_BACKOFF_MS);
  const waitMs = Math.max(backoffMs, Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
  return { ...attempts, attemptedAt: now, failures, retryAt: waitMs > 0 ? now + waitMs : null };
}

/** Whether a peek may lead to a crawl at `now`, a few times a day: a source that never adds up is not crawled all day. */
export function mayCrawl({ peekCrawls }: Attempts, maxPeekCrawls: number, now: number): boolean {
  return recent(peekCrawls, now).length < maxPeekCrawls;
}

/** After a peek that leads to a crawl. */
export function notePeekCrawl(attempts: Attempts, now: number): Attempts {
  return { ...attempts, peekCrawls: [...recent(attempts.peekCrawls, now), now] };
}

function recent(times: readonly number[], now: number): number[] {
  return times.filter((at) => at > now - DAY_MS);
}
