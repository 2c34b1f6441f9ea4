import { type Bucket, type Limiter, tighter, type Verdict } from '../limiter.ts';

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
  let timer: NodeJS.Timeout | undefined;

  /** The window of a bucket, without the requests that have left it. */
  function find(key: string, at: number): Window | undefined {
    const window = windows.get(key);
    window?.drop(windowMs, at);
    return window;
  }

  /** Drops all idle buckets: when one needs their space, and when nobody asks for them again. */
  function search(at: number): void {
    let idleAt = at + windowMs;
    for (const [key, window] of windows) {
      const end = window.latest() + windowMs;
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

  /** Returns a verdict when there is no space for those of the buckets that are new. */
  function refuseNew(buckets: readonly Bucket[], at: number): Verdict | undefined {
    const added = buckets.filter(({ key }) => !windows.has(key));
    const fits = () => windows.size + added.length <= maxBuckets;
    if (!fits() && at >= nextSearchAt) search(at);
    if (fits()) return undefined;
    const resetMs = Math.ceil(nextSearchAt - at);
    return added.map(({ limit }) => ({ ok: false, limit, remaining: 0, resetMs })).reduce(tighter);
  }

  function open({ key, limit }: Bucket, at: number): Window {
    const window = new Window(limit);
    windows.set(key, window);
    searchLater(at);
    return window;
  }

  function describe(window: Window, at: number, ok: boolean): Verdict {
    const { limit, count } = window;
    return { ok, limit, remaining: limit - count, resetMs: Math.ceil(windowMs - (at - window.oldest())) };
  }

  function peek(buckets: readonly Bucket[], at: number): Verdict {
    const verdicts = buckets.map(({ key, limit }) => {
      const window = find(key, at);
      if (!window || window.count === 0) return { ok: true, limit, remaining: limit, resetMs: 0 };
      return describe(window, at, window.count < limit);
    });
    return verdicts.reduce(tighter);
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
      let verdict: Verdict | undefined;
      for (const bucket of buckets) {
        const window = windows.get(bucket.key) ?? open(bucket, at);
        window.add(at);
        const own = describe(window, at, true);
        verdict = verdict ? tighter(verdict, own) : own;
      }
      return verdict as Verdict;
    },
    peek: (buckets) => peek(buckets, elapsedMs()),
  };
}
