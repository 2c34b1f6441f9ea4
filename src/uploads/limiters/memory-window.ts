import { type Bucket, type Limiter, tighter, UNLIMITED, type Verdict } from '../limiter.ts';
import { Window } from './window.ts';

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

/**
 * An exact sliding window in the memory of this process: it keeps the time of each request of a bucket. A new
 * bucket reserves memory for its whole limit; when there is none left, it is refused until another one is idle.
 */
export function openMemoryWindow({
  windowMs,
  elapsedMs,
  maxArrivals = MAX_ARRIVALS,
}: MemoryWindowOptions): Limiter {
  const windows = new Map<string, Window>();
  /** All windows in a ring, in the order of their latest requests; the end of it is no window of a bucket. */
  const ring = new Window('', 0);
  let reserved = 0;

  /** The window of a bucket, if it has requests in it. */
  function find(key: string, at: number): Window | undefined {
    const window = windows.get(key);
    if (!window) return undefined;
    window.drop(windowMs, at);
    if (window.count > 0) return window;
    forget(window);
    return undefined;
  }

  function forget(window: Window): void {
    windows.delete(window.key);
    window.unlink();
    reserved -= window.limit;
  }

  /** Drops idle buckets until the new ones fit. Returns 0, or the time in ms until another bucket is idle. */
  function makeSpaceMs(newBuckets: readonly Bucket[], at: number): number {
    const needed = newBuckets.reduce((sum, { limit }) => sum + limit, 0);
    if (needed > maxArrivals) throw new RangeError(`Lower the limits: their sum is above ${maxArrivals}`);
    const fits = () => windows.size + newBuckets.length <= MAX_BUCKETS && reserved + needed <= maxArrivals;
    while (!fits()) {
      const waitMs = windowMs - (at - ring.next.latest());
      if (waitMs > 0) return waitMs;
      forget(ring.next);
    }
    return 0;
  }

  function refuseNewBuckets(buckets: readonly Bucket[], at: number): Verdict | undefined {
    const newBuckets = buckets.filter(({ key }) => !windows.has(key));
    const invalid = newBuckets.find(({ key }) => !KEY.test(key));
    if (invalid) throw new RangeError(`Not 1 to 40 ASCII characters: ${invalid.key}`);
    const resetMs = Math.ceil(makeSpaceMs(newBuckets, at));
    if (resetMs <= 0) return undefined;
    return newBuckets.map(({ limit }) => ({ ok: false, limit, remaining: 0, resetMs })).reduce(tighter);
  }

  function open({ key, limit }: Bucket): Window {
    const window = new Window(key, limit);
    windows.set(key, window);
    reserved += limit;
    return window;
  }

  function describe(window: Window, at: number, ok: boolean): Verdict {
    const { limit, count } = window;
    return { ok, limit, remaining: limit - count, resetMs: Math.ceil(windowMs - (at - window.oldest())) };
  }

  function peek(buckets: readonly Bucket[], at: number): Verdict {
    let verdict = UNLIMITED;
    for (const { key, limit } of buckets) {
      const window = find(key, at);
      const own = window
        ? describe(window, at, window.count < limit)
        : { ok: true, limit, remaining: limit, resetMs: 0 };
      verdict = tighter(verdict, own);
    }
    return verdict;
  }

  function count(bucket: Bucket, at: number): Verdict {
    const window = windows.get(bucket.key) ?? open(bucket);
    window.add(at);
    if (ring.previous !== window) window.linkBefore(ring);
    return describe(window, at, true);
  }

  return {
    take(buckets) {
      const at = elapsedMs();
      let areKnown = true;
      for (const { key } of buckets) {
        const window = find(key, at);
        if (window?.isFull()) return peek(buckets, at);
        areKnown &&= window !== undefined;
      }
      const refusal = areKnown ? undefined : refuseNewBuckets(buckets, at);
      if (refusal) return refusal;
      let verdict = UNLIMITED;
      for (const bucket of buckets) verdict = tighter(verdict, count(bucket, at));
      return verdict;
    },
    peek: (buckets) => peek(buckets, elapsedMs()),
  };
}
