import type { LimitBucket } from '../../network/limiter.ts';
import { createSums } from '../ledger.ts';

/** What this process has taken from the buckets that all processes share, and has not given back. */
export interface HeldSpace {
  /** Counts how often what was held has been lost. */
  readonly term: number;
  /** Notes that so much was taken from each of the buckets. */
  add(buckets: readonly LimitBucket[], amount: number): void;
  /** Notes that what was taken in `term` is given back. Returns how much of it is still held: nothing of an earlier term. */
  remove(keys: readonly string[], amount: number, term: number): number;
  /** Forgets everything: others may have been given it. */
  lose(): void;
  /** Bucket, amount and limit of all that is held, one after the other. */
  describe(): (string | number)[];
}

export function createHeldSpace(): HeldSpace {
  let sums = createSums();
  const limits = new Map<string, number>();
  let term = 0;

  return {
    get term() {
      return term;
    },

    add(buckets, amount) {
      if (amount === 0) return;
      for (const { key, limit } of buckets) {
        sums.add([key], amount);
        limits.set(key, limit);
      }
    },

    remove(keys, amount, takenIn) {
      const left = takenIn === term ? amount : 0;
      sums.add(keys, -left);
      for (const key of keys) {
        if (sums.of(key) === 0) limits.delete(key);
      }
      return left;
    },

    lose() {
      sums = createSums();
      term += 1;
    },

    describe: () => [...sums.entries()].flatMap(([key, amount]) => [key, amount, limits.get(key) ?? 0]),
  };
}
