import { type BucketKey, type Limiter, tighter, UNLIMITED, type Verdict } from '../limiter.ts';

/** Together they keep the worst case, every address at its limit, within 32 MB. */
const MAX_KEYS = 60_000;
const MAX_ARRIVALS = 40 * MAX_KEYS;
const KEY = /^[ -~]{1,40}$/u;

export interface MemoryLimiterOptions {
  windowMs: number;
  /** Milliseconds on a clock that never steps back, like `performance.now()`; fractions are kept. */
  now: () => number;
}

/** When the requests of one key came that are still in the window, oldest first; never empty between calls. */
interface Bucket {
  limit: number;
  arrivals: number[];
}

/**
 * An exact sliding window, in this process: a bucket remembers when each request of its window came, so that no
 * window, wherever it starts, holds more than the limit. Room for a key's whole limit is set aside when it first
 * comes; when there is none, it is refused until another key is idle.
 */
export function openMemoryLimiter({ windowMs, now }: MemoryLimiterOptions): Limiter {
  /** In the order of their latest requests. */
  const buckets = new Map<string, Bucket>();
  let reserved = 0;

  const msLeft = (arrival: number, at: number): number => windowMs - (at - arrival);

  /** The bucket of a key, without the requests that have left the window; undefined when there is none. */
  function find(key: string, at: number): Bucket | undefined {
    const bucket = buckets.get(key);
    if (!bucket) return undefined;
    while (bucket.arrivals.length > 0 && msLeft(bucket.arrivals[0]!, at) <= 0) bucket.arrivals.shift();
    if (bucket.arrivals.length > 0) return bucket;
    forget(key, bucket);
    return undefined;
  }

  function forget(key: string, { limit }: Bucket): void {
    buckets.delete(key);
    reserved -= limit;
  }

  /** Forgets idle keys until the newcomers fit in; otherwise returns how long until another key is idle. */
  function makeRoom(newcomers: readonly BucketKey[], at: number): number {
    const wanted = newcomers.reduce((sum, { limit }) => sum + limit, 0);
    if (wanted > MAX_ARRIVALS) throw new RangeError(`Lower the limits: together above ${MAX_ARRIVALS}`);
    for (const [key, bucket] of buckets) {
      if (buckets.size + newcomers.length <= MAX_KEYS && reserved + wanted <= MAX_ARRIVALS) return 0;
      const waitMs = msLeft(bucket.arrivals.at(-1)!, at);
      if (waitMs > 0) return waitMs;
      forget(key, bucket);
    }
    return 0;
  }

  function describe({ key, limit }: BucketKey, at: number): Verdict {
    const bucket = find(key, at);
    if (!bucket) return { ok: true, limit, remaining: limit, resetMs: 0 };
    const remaining = limit - bucket.arrivals.length;
    return { ok: remaining > 0, limit, remaining, resetMs: Math.ceil(msLeft(bucket.arrivals[0]!, at)) };
  }

  function refuseNewcomers(newcomers: readonly BucketKey[], at: number): Verdict | undefined {
    const wrong = newcomers.find(({ key }) => !KEY.test(key));
    if (wrong) throw new RangeError(`Not 1 to 40 ASCII characters: ${wrong.key}`);
    const resetMs = Math.ceil(makeRoom(newcomers, at));
    if (resetMs <= 0) return undefined;
    return newcomers.map(({ limit }) => ({ ok: false, limit, remaining: 0, resetMs })).reduce(tighter);
  }

  function count({ key, limit }: BucketKey, at: number): Verdict {
    const bucket = buckets.get(key) ?? { limit, arrivals: [] };
    if (!buckets.delete(key)) reserved += limit;
    buckets.set(key, bucket);
    bucket.arrivals.push(at);
    const resetMs = Math.ceil(msLeft(bucket.arrivals[0]!, at));
    return { ok: true, limit, remaining: limit - bucket.arrivals.length, resetMs };
  }

  function look(keys: readonly BucketKey[], at: number): Verdict {
    let verdict = UNLIMITED;
    for (const key of keys) verdict = tighter(verdict, describe(key, at));
    return verdict;
  }

  return {
    take(keys) {
      const at = now();
      const found = look(keys, at);
      if (!found.ok) return found;
      const newcomers = keys.filter(({ key }) => !buckets.has(key));
      const refusal = newcomers.length > 0 ? refuseNewcomers(newcomers, at) : undefined;
      if (refusal) return refusal;
      let verdict = UNLIMITED;
      for (const key of keys) verdict = tighter(verdict, count(key, at));
      return verdict;
    },
    look: (keys) => look(keys, now()),
    async close() {},
  };
}
