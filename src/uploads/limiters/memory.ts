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
    take(keys) {
      table.advanceTo(now());
      const rows = keys.map((bucket) => table.find(bucket.key));
      const refusal = examine(table, keys, rows);
      return refusal.ok ? count(table, keys, rows) : refusal;
    },
    look(keys) {
      table.advanceTo(now());
      return keys.map((bucket) => describe(table, bucket)).reduce(tighter, UNLIMITED);
    },
    async close() {},
  };
}

type Row = number | undefined;

/** Whether every bucket has one left, before any is counted. What is told of it when all have is not to be used. */
function examine(table: BucketTable, keys: readonly BucketKey[], rows: readonly Row[]): Verdict {
  let verdict = UNLIMITED;
  let newcomer = false;
  for (let index = 0; index < keys.length; index += 1) {
    const row = rows[index];
    if (row === undefined) newcomer = true;
    else if (table.remaining(row) < 1)
      verdict = tighter(verdict, refusal(keys[index]!, table.msToLeave(row)));
  }
  if (!newcomer) return verdict;
  const newcomers = keys.filter((_, index) => rows[index] === undefined);
  if (table.makeRoomFor(newcomers)) return verdict;
  return newcomers.map((newcomer) => refusal(newcomer, table.msToIdle())).reduce(tighter, verdict);
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

function count(table: BucketTable, keys: readonly BucketKey[], rows: readonly Row[]): Verdict {
  let verdict = UNLIMITED;
  for (let index = 0; index < keys.length; index += 1) {
    const bucket = keys[index]!;
    const row = rows[index] ?? table.admit(bucket);
    table.count(row);
    const resetMs = Math.ceil(table.msToLeave(row));
    verdict = tighter(verdict, { ok: true, limit: bucket.limit, remaining: table.remaining(row), resetMs });
  }
  return verdict;
}
