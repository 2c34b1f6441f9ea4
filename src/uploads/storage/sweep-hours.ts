import type { ResumableStorage } from '../resumable-storage.ts';
import { expiryHourOf } from './expiry-hour.ts';

export interface SweepableResumableStorage extends ResumableStorage {
  /** Resolves with the number of uploads removed that were not complete in time. */
  sweep(now: number): Promise<number>;
}

/** What a sweep did with one resumable upload. */
export interface SweptUpload {
  /** Whether it was removed although it was not complete. */
  isRemoved?: boolean;
  /** When it may be removed, ms since 1970; undefined where it was removed. */
  keptUntil?: number;
}

/**
 * Returns a function that sweeps the resumable uploads of the current hour and of those before it, and resolves with the
 * number that were removed although they were not complete. Complete uploads may be left of an hour that is over. Such an
 * hour is swept again when the first of them may be removed, so that not every sweep reads all of them.
 */
export function createHourSweeper(
  hours: () => AsyncIterable<string> | Promise<string[]>,
  sweepHour: (hour: string, now: number) => AsyncIterable<SweptUpload>,
): (now: number) => Promise<number> {
  const nextSweeps = new Map<string, number>();
  return async (now) => {
    const current = expiryHourOf(now);
    let removed = 0;
    for await (const hour of await hours()) {
      const isDue = hour === current || (hour < current && now >= (nextSweeps.get(hour) ?? 0));
      if (!isDue) continue;
      let next = Number.POSITIVE_INFINITY;
      for await (const { isRemoved = false, keptUntil = next } of sweepHour(hour, now)) {
        removed += Number(isRemoved);
        next = Math.min(next, keptUntil);
      }
      if (next === Number.POSITIVE_INFINITY) nextSweeps.delete(hour);
      else nextSweeps.set(hour, next);
    }
    return removed;
  };
}
