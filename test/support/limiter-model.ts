import type { LimitBucket, RateLimitState } from '../../src/network/limiter.ts';

/** The expected answers of a limiter, from a list of all requests that were allowed. */
export class LimiterModel {
  readonly #windowMs: number;
  readonly #arrivals = new Map<string, number[]>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  take(keys: readonly LimitBucket[], now: number): RateLimitState {
    const buckets = keys.map(({ key, limit }) => ({ key, limit, counted: this.counted(key, now) }));
    const full = buckets.filter(({ counted, limit }) => counted.length >= limit);
    if (full.length > 0) {
      return full
        .map(({ limit, counted }) => this.#verdict(false, limit, counted, now))
        .sort(byLongerWait)[0]!;
    }
    for (const { key } of buckets) this.#arrivals.set(key, [...(this.#arrivals.get(key) ?? []), now]);
    return buckets
      .map(({ limit, counted }) => this.#verdict(true, limit, [...counted, now], now))
      .sort((a, b) => a.remaining - b.remaining || byLongerWait(a, b))[0]!;
  }

  /** The times of the requests in the window that ends now. */
  counted(key: string, now: number): number[] {
    return (this.#arrivals.get(key) ?? []).filter((arrival) => now - arrival < this.#windowMs);
  }

  #verdict(ok: boolean, limit: number, counted: number[], now: number): RateLimitState {
    const resetMs = Math.ceil(this.#windowMs - (now - counted[0]!));
    return { ok, limit, remaining: limit - counted.length, resetMs };
  }
}

function byLongerWait(a: RateLimitState, b: RateLimitState): number {
  return b.resetMs - a.resetMs;
}
