import { type BucketKey, type Limiter, tighter, UNLIMITED, type Verdict } from '../limiter.ts';
import type { LimiterOptions } from './drivers.ts';

/** Both constants bound the memory to 32 MB in the worst case, with every address at its limit. */
const MAX_KEYS = 60_000;
const MAX_ARRIVALS = 40 * MAX_KEYS;
const KEY = /^[ -~]{1,40}$/u;

/** The times of the requests of one key within the window, oldest first; never empty between calls. */
interface Bucket {
  limit: number;
  arrivals: number[];
}

/**
 * An exact sliding window in the memory of this process: a bucket keeps the time of each request in its window. A new
 * key reserves memory for its whole limit; when there is none left, it is refused until another key is idle.
 */
export function openMemoryLimiter({ windowMs, elapsedMs }: Omit<LimiterOptions, 'report'>): Limiter {
  /** Ordered by their latest requests. */
  const buckets = new Map<string, Bucket>();
  let reserved = 0;

  const msLeft = (arrival: number, at: number): number => windowMs - (at - arrival);

  /** Drops requests that have left the window. Undefined when the key has no bucket, or an empty one. */
  function find(key: string, at: number): Bucket | undefined {
    const bucket = buckets.get(key);
    if (!bucket) return undefined;
    while (msLeft(bucket.arrivals[0] ?? at, at) <= 0) bucket.arrivals.shift();
    if (bucket.arrivals.length > 0) return bucket;
    forget(key, bucket);
    return undefined;
  }

  function forget(key: string, { limit }: Bucket): void {
    buckets.delete(key);
    reserved -= limit;
  }

  /** Drops idle buckets until the new keys fit. Returns 0, or the time in ms until another bucket is idle. */
  function makeSpaceMs(newKeys: readonly BucketKey[], at: number): number {
    const needed = newKeys.reduce((sum, { limit }) => sum + limit, 0);
    if (needed > MAX_ARRIVALS) throw new RangeError(`Lower the limits: their sum is above ${MAX_ARRIVALS}`);
    const fits = () => buckets.size + newKeys.length <= MAX_KEYS && reserved + needed <= MAX_ARRIVALS;
    // A loop over a Map first skips every deleted key at its front, so it is avoided where nothing has to be dropped.
    if (fits()) return 0;
    for (const [key, bucket] of buckets) {
      const waitMs = msLeft(bucket.arrivals.at(-1) ?? at, at);
      if (waitMs > 0) return waitMs;
      forget(key, bucket);
      if (fits()) return 0;
    }
    return 0;
  }

  function describe({ key, limit }: BucketKey, at: number): Verdict {
    const bucket = find(key, at);
    if (!bucket) return { ok: true, limit, remaining: limit, resetMs: 0 };
    const remaining = limit - bucket.arrivals.length;
    return { ok: remaining > 0, limit, remaining, resetMs: Math.ceil(msLeft(bucket.arrivals[0] ?? at, at)) };
  }

  function refuseNewKeys(newKeys: readonly BucketKey[], at: number): Verdict | undefined {
    const invalid = newKeys.find(({ key }) => !KEY.test(key));
    if (invalid) throw new RangeError(`Not 1 to 40 ASCII characters: ${invalid.key}`);
    const resetMs = Math.ceil(makeSpaceMs(newKeys, at));
    if (resetMs <= 0) return undefined;
    return newKeys.map(({ limit }) => ({ ok: false, limit, remaining: 0, resetMs })).reduce(tighter);
  }

  function count({ key, limit }: BucketKey, at: number): Verdict {
    const bucket = buckets.get(key) ?? { limit, arrivals: [] };
    if (!buckets.delete(key)) reserved += limit;
    buckets.set(key, bucket);
    bucket.arrivals.push(at);
    const resetMs = Math.ceil(msLeft(bucket.arrivals[0] ?? at, at));
    return { ok: true, limit, remaining: limit - bucket.arrivals.length, resetMs };
  }

  function peek(keys: readonly BucketKey[], at: number): Verdict {
    let verdict = UNLIMITED;
    for (const key of keys) verdict = tighter(verdict, describe(key, at));
    return verdict;
  }

  return {
    take(keys) {
      const at = elapsedMs();
      const found = peek(keys, at);
      if (!found.ok) return found;
      const newKeys = keys.filter(({ key }) => !buckets.has(key));
      const refusal = refuseNewKeys(newKeys, at);
      if (refusal) return refusal;
      let verdict = UNLIMITED;
      for (const key of keys) verdict = tighter(verdict, count(key, at));
      return verdict;
    },
    peek: (keys) => peek(keys, elapsedMs()),
    async close() {},
  };
}
