import { type BucketKey, type Limiter, tighter, UNLIMITED, type Verdict } from '../limiter.ts';
import { BucketTable } from './bucket-table.ts';

export interface MemoryLimiterOptions {
  windowMs: number;
  /** Milliseconds on a clock that never steps back, like `performance.now()`; fractions are kept. */
  now: () => number;
}

/**
 * An exact sliding window, in this process: a bucket remembers when each request of its window came, so that no
 * window, wherever it starts, holds more than the limit, and nobody waits longer than that asks for. It remembers at
 * most 65,536 busy keys in 32 MB, fewer when limits are large; a newcomer past them is refused until one is idle.
 */
export function openMemoryLimiter({ windowMs, now }: MemoryLimiterOptions): Limiter {
  const table = new BucketTable(windowMs);
  return {
    async take(keys) {
      table.advanceTo(now());
      const verdict = examine(table, keys);
      return verdict.ok ? count(table, keys) : verdict;
    },
    async look(keys) {
      table.advanceTo(now());
      return keys.map((bucket) => describe(table, bucket)).reduce(tighter, UNLIMITED);
    },
    async close() {},
  };
}

/** Whether every bucket has one left, before any is counted. */
function examine(table: BucketTable, keys: readonly BucketKey[]): Verdict {
  const newcomers: BucketKey[] = [];
  let verdict = UNLIMITED;
  for (const bucket of keys) {
    const row = table.find(bucket.key);
    if (row === undefined) newcomers.push(bucket);
    else if (table.remaining(row) < 1) verdict = tighter(verdict, refusal(bucket, table.msToLeave(row)));
  }
  const [newcomer] = newcomers;
  if (!newcomer || table.makeRoomFor(newcomers)) return verdict;
  return tighter(verdict, refusal(newcomer, table.msToIdle()));
}

function refusal({ limit }: BucketKey, waitMs: number): Verdict {
  return { ok: false, limit, remaining: 0, resetMs: Math.ceil(waitMs) };
}

function describe(table: BucketTable, { key, limit }: BucketKey): Verdict {
  const row = table.find(key);
  if (row === undefined) return { ok: true, limit, remaining: limit, resetMs: 0 };
  const remaining = table.remaining(row);
  return {
    ok: remaining > 0,
    limit,
    remaining,
    resetMs: remaining < limit ? Math.ceil(table.msToLeave(row)) : 0,
  };
}

function count(table: BucketTable, keys: readonly BucketKey[]): Verdict {
  let verdict = UNLIMITED;
  for (const bucket of keys) {
    const row = table.find(bucket.key) ?? table.admit(bucket);
    table.count(row);
    const resetMs = Math.ceil(table.msToLeave(row));
    verdict = tighter(verdict, { ok: true, limit: bucket.limit, remaining: table.remaining(row), resetMs });
  }
  return verdict;
}
