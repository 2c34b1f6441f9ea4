/** A bucket that requests are counted in. A key always has the same limit. */
export interface LimitBucket {
  key: string;
  /** The maximum number of requests in any window. */
  limit: number;
}

/** The state of the tightest of the buckets that a request counts in. */
export interface RateLimitState {
  ok: boolean;
  limit: number;
  /** Requests left in this window after the one just counted; 0 when refused. */
  remaining: number;
  /**
   * Time until the oldest counted request leaves the window; when refused, until the same request would be allowed,
   * as far as is known. Rounded up to whole milliseconds.
   */
  resetMs: number;
}

/** Limits how often an address may upload: no window, wherever it starts, contains more than `limit` requests. */
export interface Limiter {
  /**
   * Counts one request in each of the buckets (at least one, no key twice), or in none of them when one is full. A
   * request counts from its time t until t + window; a refused one does not count.
   */
  take(buckets: readonly LimitBucket[]): RateLimitState | Promise<RateLimitState>;
  /** Returns the verdict that a request would get, without counting one. */
  peek(buckets: readonly LimitBucket[]): RateLimitState | Promise<RateLimitState>;
}

/**
 * Returns the tighter of the verdicts of two buckets on one request: the one with fewer requests left, or else the one
 * with the longer wait. A refusal has none left; a bucket that would have allowed the request has.
 */
export function tighter(a: RateLimitState, b: RateLimitState): RateLimitState {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetMs >= b.resetMs ? a : b;
}
