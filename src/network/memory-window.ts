import { type LimitBucket, type Limiter, type RateLimitState, tighter } from './limiter.ts';

/** So many buckets take 32 MB with the longest keys and forty requests in each. */
const MAX_BUCKETS = 60_000;
/** How often idle buckets are looked for at most: the search takes a millisecond. */
const SEARCH_INTERVAL_MS = 100;

interface WindowOptions {
  windowMs: number;
  /** Monotonic, ms, with fractions. */
  elapsedMs: () => number;
  maxBuckets?: number;
}

/** The times of the requests of one bucket within its window, oldest first. */
interface Window {
  limit: number;
  times: number[];
}

/**
 * An exact sliding window in the memory of this process: it keeps the time of each request of a bucket. While there are as
 * many buckets as it has space for, a new one is refused until another one is idle.
 */
export function openMemoryWindow({ windowMs, elapsedMs, maxBuckets = MAX_BUCKETS }: WindowOptions): Limiter {
  const windows = new Map<string, Window>();
  let nextSearchAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  /** The window of a bucket, without the requests that have left it. */
  function find(key: string, at: number): Window | undefined {
    const window = windows.get(key);
    const times = window?.times ?? [];
    let old = 0;
    while (old < times.length && at - times[old]! >= windowMs) old += 1;
    // One is the usual case, and several at once would each move all that follow.
    if (old === 1) times.shift();
    else if (old > 1) times.splice(0, old);
    return window;
  }

  /** Drops all idle buckets: when one needs their space, and when nobody asks for them again. */
  function search(at: number): void {
    let idleAt = at + windowMs;
    for (const [key, window] of windows) {
      const end = (window.times.at(-1) ?? 0) + windowMs;
      if (end <= at) windows.delete(key);
      else idleAt = Math.min(idleAt, end);
    }
    nextSearchAt = Math.max(idleAt, at + SEARCH_INTERVAL_MS);
    clearTimeout(timer);
    timer = undefined;
    if (windows.size > 0) searchLater(at);
  }

  function searchLater(at: number): void {
    const idleInMs = Math.max(nextSearchAt - at, SEARCH_INTERVAL_MS);
    timer ??= setTimeout(() => search(elapsedMs()), Math.min(idleInMs, windowMs / 4)).unref();
  }

  /** Returns a verdict if there is no space for the new buckets. */
  function refuseNew(buckets: readonly LimitBucket[], at: number): RateLimitState | undefined {
    const added = buckets.filter(({ key }) => !windows.has(key));
    const fits = () => windows.size + added.length <= maxBuckets;
    if (!fits() && at >= nextSearchAt) search(at);
    if (fits()) return undefined;
    const resetMs = Math.ceil(nextSearchAt - at);
    return added.map(({ limit }) => ({ ok: false, limit, remaining: 0, resetMs })).reduce(tighter);
  }

  function open({ key, limit }: LimitBucket, at: number): Window {
    const window: Window = { limit, times: [] };
    windows.set(key, window);
    searchLater(at);
    return window;
  }

  function describe({ limit, times }: Window, at: number, ok: boolean): RateLimitState {
    const resetMs = Math.ceil(windowMs - (at - (times[0] ?? at)));
    return { ok, limit, remaining: limit - times.length, resetMs };
  }

  function peek(buckets: readonly LimitBucket[], at: number): RateLimitState {
    const verdicts = buckets.map(({ key, limit }) => {
      const window = find(key, at);
      if (!window || window.times.length === 0) return { ok: true, limit, remaining: limit, resetMs: 0 };
      return describe(window, at, window.times.length < limit);
    });
    return verdicts.reduce(tighter);
  }

  return {
    take(buckets) {
      const at = elapsedMs();
      let areKnown = true;
      for (const { key, limit } of buckets) {
        const window = find(key, at);
        if (window?.times.length === limit) return peek(buckets, at);
        areKnown &&= window !== undefined;
      }
      const refusal = areKnown ? undefined : refuseNew(buckets, at);
      if (refusal) return refusal;
      let verdict: RateLimitState | undefined;
      for (const bucket of buckets) {
        const window = windows.get(bucket.key) ?? open(bucket, at);
        window.times.push(at);
        const own = describe(window, at, true);
        verdict = verdict ? tighter(verdict, own) : own;
      }
      return verdict as RateLimitState;
    },
    peek: (buckets) => peek(buckets, elapsedMs()),
  };
}
