import { describe, expect, test } from 'vitest';
import { createRefreshTimes } from '../../src/crawler/timing/refresh-times.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 10 * HOUR + MINUTE;

/** Crawls at every full hour. */
const timer = {
  nextFireTime: (earliest = 0) => Math.ceil(Math.max(NOW + 1, earliest) / HOUR) * HOUR,
  intervalMs: HOUR,
};

describe('after a failure the source is asked again', () => {
  const nextAfter = (peekMs: number | null, retryAt: number | null, hasSnapshot: boolean) =>
    createRefreshTimes({ timer, peekMs, random: () => 0, now: () => NOW }).afterFailure(
      { retryAt },
      hasSnapshot,
    );

  test('at the end of the backoff without a snapshot', () => {
    expect(nextAfter(3 * MINUTE, NOW + MINUTE, false)).toBe(NOW + MINUTE);
    expect(nextAfter(null, NOW + 2 * HOUR, false)).toBe(NOW + 2 * HOUR);
  });

  test('at the next peek with one', () => {
    expect(nextAfter(3 * MINUTE, null, true)).toBe(NOW + 3 * MINUTE);
    expect(nextAfter(null, null, true)).toBe(11 * HOUR);
  });

  test('not before the backoff is over', () => {
    expect(nextAfter(3 * MINUTE, NOW + 30 * MINUTE, true)).toBe(NOW + 30 * MINUTE);
    expect(nextAfter(null, 11 * HOUR + 1, true)).toBe(12 * HOUR);
  });

  test('never without a timer', () => {
    const times = createRefreshTimes({ timer: undefined, peekMs: MINUTE, random: () => 0, now: () => NOW });
    expect(times.afterFailure({ retryAt: NOW }, true)).toBeNull();
  });
});
