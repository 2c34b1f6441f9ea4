import { type Bucket, type Limiter, tighter, UNLIMITED, type Verdict } from '../limiter.ts';

/** Both constants bound the memory to 32 MB in the worst case, with every address at its limit. */
const MAX_BUCKETS = 60_000;
const MAX_ARRIVALS = 40 * MAX_BUCKETS;
const KEY = /^[ -~]{1,40}$/u;

interface MemoryWindowOptions {
  windowMs: number;
  /** Monotonic, ms, with fractions. */
  elapsedMs: () => number;
  /** How many requests memory is reserved for: no limit in a window so short that fewer can be answered. */
  maxArrivals?: number;
}

/** The times of the requests of one bucket within the window, oldest first; never empty between calls. */
interface Window {
  limit: number;
  arrivals: number[];
}

/**
 * An exact sliding window in the memory of this process: it keeps the time of each request of a bucket. A new
 * bucket reserves memory for its whole limit; when there is none left, it is refused until another one is idle.
 */
export function openMemoryWindow({
  windowMs,
  elapsedMs,
  maxArrivals = MAX_ARRIVALS,
}: MemoryWindowOptions): Limiter {
  /** By the key of their bucket, in the order of their latest requests. */
  const windows = new Map<string, Window>();
  let reserved = 0;

  const msLeft = (arrival: number, at: number): number => windowMs - (at - arrival);

  /** Drops requests that have left the window. Undefined when none are left. */
  function find(key: string, at: number): Window | undefined {
    const window = windows.get(key);
    if (!window) return undefined;
    while (msLeft(window.arrivals[0] ?? at, at) <= 0) window.arrivals.shift();
    if (window.arrivals.length > 0) return window;
    forget(key, window);
    return undefined;
  }

  function forget(key: string, { limit }: Window): void {
    windows.delete(key);
    reserved -= limit;
  }

  /** Drops idle buckets until the new ones fit. Returns 0, or the time in ms until another bucket is idle. */
  function makeSpaceMs(newBuckets: readonly Bucket[], at: number): number {
    const needed = newBuckets.reduce((sum, { limit }) => sum + limit, 0);
    if (needed > maxArrivals) throw new RangeError(`Lower the limits: their sum is above ${maxArrivals}`);
    const fits = () => windows.size + newBuckets.length <= MAX_BUCKETS && reserved + needed <= maxArrivals;
    // A loop over a Map first skips every deleted key at its front, so it is avoided where nothing has to be dropped.
    if (fits()) return 0;
    for (const [key, window] of windows) {
      const waitMs = msLeft(window.arrivals.at(-1) ?? at, at);
      if (waitMs > 0) return waitMs;
      forget(key, window);
      if (fits()) return 0;
    }
    return 0;
  }

  function describe({ key, limit }: Bucket, at: number): Verdict {
    const window = find(key, at);
    if (!window) return { ok: true, limit, remaining: limit, resetMs: 0 };
    const remaining = limit - window.arrivals.length;
    return { ok: remaining > 0, limit, remaining, resetMs: Math.ceil(msLeft(window.arrivals[0] ?? at, at)) };
  }

  function refuseNewBuckets(newBuckets: readonly Bucket[], at: number): Verdict | undefined {
    const invalid = newBuckets.find(({ key }) => !KEY.test(key));
    if (invalid) throw new RangeError(`Not 1 to 40 ASCII characters: ${invalid.key}`);
    const resetMs = Math.ceil(makeSpaceMs(newBuckets, at));
    if (resetMs <= 0) return undefined;
    return newBuckets.map(({ limit }) => ({ ok: false, limit, remaining: 0, resetMs })).reduce(tighter);
  }

  function count({ key, limit }: Bucket, at: number): Verdict {
    const window = windows.get(key) ?? { limit, arrivals: [] };
    if (!windows.delete(key)) reserved += limit;
    windows.set(key, window);
    window.arrivals.push(at);
    const resetMs = Math.ceil(msLeft(window.arrivals[0] ?? at, at));
    return { ok: true, limit, remaining: limit - window.arrivals.length, resetMs };
  }

  function peek(buckets: readonly Bucket[], at: number): Verdict {
    let verdict = UNLIMITED;
    for (const bucket of buckets) verdict = tighter(verdict, describe(bucket, at));
    return verdict;
  }

  return {
    take(buckets) {
      const at = elapsedMs();
      const found = peek(buckets, at);
      if (!found.ok) return found;
      const newBuckets = buckets.filter(({ key }) => !windows.has(key));
      const refusal = refuseNewBuckets(newBuckets, at);
      if (refusal) return refusal;
      let verdict = UNLIMITED;
      for (const bucket of buckets) verdict = tighter(verdict, count(bucket, at));
      return verdict;
    },
    peek: (buckets) => peek(buckets, elapsedMs()),
  };
}
