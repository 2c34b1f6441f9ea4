import { type Bucket, type Limiter, tighter, UNLIMITED, type Verdict } from '../limiter.ts';

/** So many buckets take 32 MB with the longest keys and forty requests in each. */
const MAX_BUCKETS = 60_000;
/** How often idle buckets are looked for at most: the search takes a millisecond. */
const SEARCH_INTERVAL_MS = 100;

interface MemoryWindowOptions {
  windowMs: number;
  /** Monotonic, ms, with fractions. */
  elapsedMs: () => number;
  maxBuckets?: number;
}

/** The times of the requests of one bucket within its window. */
class Window {
  readonly limit: number;
  count = 0;
  /** A ring of at most `limit` times. */
  readonly #arrivals: number[] = [];
  #first = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Drops the requests that are as old as this at a time. */
  drop(ageMs: number, at: number): void {
    while (this.count > 0 && at - this.oldest() >= ageMs) {
      this.#first = this.#indexOf(1);
      this.count -= 1;
    }
  }

  /** Adds a request to a window that is not full. */
  add(time: number): void {
    this.#arrivals[this.#indexOf(this.count)] = time;
    this.count += 1;
  }

  oldest(): number {
    return this.#arrivals[this.#first] ?? 0;
  }

  latest(): number {
    return this.#arrivals[this.#indexOf(this.count - 1)] ?? 0;
  }

  /** The index of the request that follows `offset` others. */
  #indexOf(offset: number): number {
    const index = this.#first + offset;
    return index < this.limit ? index : index - this.limit;
  }
}

/**
 * An exact sliding window in the memory of this process: it keeps the time of each request of a bucket. While there are as
 * many buckets as it has space for, a new one is refused until another one is idle.
 */
export function openMemoryWindow({
  windowMs,
  elapsedMs,
  maxBuckets = MAX_BUCKETS,
}: MemoryWindowOptions): Limiter {
  const windows = new Map<string, Window>();
  let nextSearchAt = Number.NEGATIVE_INFINITY;
  let isForgetting = false;

  /** The window of a bucket, if it has requests in it. */
  function find(key: string, at: number): Window | undefined {
    const window = windows.get(key);
    if (!window) return undefined;
    window.drop(windowMs, at);
    if (window.count > 0) return window;
    windows.delete(key);
    return undefined;
  }

  /** Drops all idle buckets. */
  function search(at: number): void {
    let idleAt = at + windowMs;
    for (const [key, window] of windows) {
      const end = window.latest() + windowMs;
      if (end <= at) windows.delete(key);
      else idleAt = Math.min(idleAt, end);
    }
    nextSearchAt = Math.max(idleAt, at + SEARCH_INTERVAL_MS);
  }

  /** Forgets an address when nothing of it counts any more, also where nobody asks again. */
  function forgetLater(): void {
    if (isForgetting) return;
    isForgetting = true;
    const forget = () => {
      isForgetting = false;
      search(elapsedMs());
      if (windows.size > 0) forgetLater();
    };
    const idleInMs = Math.max(nextSearchAt - elapsedMs(), SEARCH_INTERVAL_MS);
    setTimeout(forget, Math.min(idleInMs, windowMs / 4)).unref();
  }

  /** Returns a verdict when there is no space for those of the buckets that are new. */
  function refuseNew(buckets: readonly Bucket[], at: number): Verdict | undefined {
    const added = buckets.filter(({ key }) => !windows.has(key));
    const fits = () => windows.size + added.length <= maxBuckets;
    if (!fits() && at >= nextSearchAt) search(at);
    if (fits()) return undefined;
    const resetMs = Math.ceil(nextSearchAt - at);
    return added.map(({ limit }) => ({ ok: false, limit, remaining: 0, resetMs })).reduce(tighter);
  }

  function open({ key, limit }: Bucket): Window {
    const window = new Window(limit);
    windows.set(key, window);
    forgetLater();
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

  return {
    take(buckets) {
      const at = elapsedMs();
      let areKnown = true;
      for (const { key, limit } of buckets) {
        const window = find(key, at);
        if (window?.count === limit) return peek(buckets, at);
        areKnown &&= window !== undefined;
      }
      const refusal = areKnown ? undefined : refuseNew(buckets, at);
      if (refusal) return refusal;
      let verdict = UNLIMITED;
      for (const bucket of buckets) {
        const window = windows.get(bucket.key) ?? open(bucket);
        window.add(at);
        verdict = tighter(verdict, describe(window, at, true));
      }
      return verdict;
    },
    peek: (buckets) => peek(buckets, elapsedMs()),
  };
}
