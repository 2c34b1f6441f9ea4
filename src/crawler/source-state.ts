import type { Status } from '../store/source-status.ts';
import { MAX_SKEW_MS } from './clock.ts';

/**
 * The status as far as its times can be used. One from the future was written while a clock was ahead, or the clock is behind
 * now: an attempt finds out which, unless one has.
 */
export function usableStatus(status: Status, now: number): Status {
  const { attempts, crawl, clock } = status;
  if (Math.max(attempts.attemptedAt ?? 0, crawl.refreshedAt ?? 0) <= now + MAX_SKEW_MS) return status;
  const attemptedAt = clock.behindSince === null ? 0 : null;
  return {
    ...status,
    attempts: { ...attempts, attemptedAt, crawledAt: null, retryAt: null },
    due: { dueAt: now, peekDueAt: null },
  };
}

/**
 * Whether a crawl has to follow the last one, which failed. If only the other pages were bad, one more crawl follows,
 * unless there is a reason to wait; then page 1 goes on to show news.
 */
export function mustCrawl({ health: { state }, attempts, pending }: Status): boolean {
  const didCrawlFail = state !== 'ok' && attempts.attemptedAt === attempts.crawledAt;
  return didCrawlFail && (state !== 'changed' || (attempts.failures === 1 && !pending));
}
