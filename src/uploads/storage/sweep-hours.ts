import type { ResumableStorage } from '../resumable-storage.ts';
import { expiryHourOf } from './expiry-hour.ts';

export interface SweptResumableStorage extends ResumableStorage {
  /** Resolves with the number of uploads removed that were not complete in time. */
  sweep(now: number): Promise<number>;
}

/** What a sweep of one hour did with the resumable uploads in it. */
export interface SweptHour {
  /** The number of uploads that were removed although they were not complete. */
  removed: number;
  /** When the first of those that are left may be removed, ms since 1970; undefined when none is left. */
  next: number | undefined;
}

/**
 * Returns a function that sweeps the resumable uploads of the current hour and of those before it, and resolves with the
 * number that were removed although they were not complete. Of an hour that is over, complete uploads may be left: it is
 * swept again when the first of them may be removed, so that each sweep need not read all of them.
 */
export function createHourSweeper(
  hours: () => AsyncIterable<string> | Promise<string[]>,
  sweepHour: (hour: string, now: number) => Promise<SweptHour>,
): (now: number) => Promise<number> {
  const nextSweeps = new Map<string, number>();
  return async (now) => {
    const current = expiryHourOf(now);
    let sum = 0;
    for await (const hour of await hours()) {
      const isDue = hour === current || (hour < current && now >= (nextSweeps.get(hour) ?? 0));
      if (!isDue) continue;
      const { removed, next } = await sweepHour(hour, now);
      sum += removed;
      if (next === undefined) nextSweeps.delete(hour);
      else nextSweeps.set(hour, next);
    }
    return sum;
  };
}
