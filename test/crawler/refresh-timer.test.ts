import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRefreshTimer } from '../../src/crawler/timing/refresh-timer.ts';

const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);

function openTimer(expression: string, jitterShare: number, timeZone = 'UTC') {
  return createRefreshTimer({ expression, timeZone, jitterShare, now: Date.now });
}

describe('the next fire time', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    ['12:00:00.000', '12:15:00'],
    ['12:07:30.000', '12:15:00'],
    ['12:14:59.999', '12:15:00'],
    ['12:15:00.001', '12:30:00'],
  ])('at %s is %s, without a jitter', (now, next) => {
    vi.setSystemTime(at(now));
    expect(openTimer('*/15 * * * *', 0).nextFireTime()).toBe(at(next));
  });

  test.each([
    ['12:00:00.000', '12:00:30'],
    ['12:00:29.999', '12:00:30'],
    ['12:00:30.000', '12:15:30'],
    ['12:14:59.000', '12:15:30'],
  ])('at %s is %s, with a jitter of 30 s, also within this quarter', (now, next) => {
    vi.setSystemTime(at(now));
    expect(openTimer('*/15 * * * *', 0.5).nextFireTime()).toBe(at(next));
  });

  test('is counted in the time zone', () => {
    vi.setSystemTime(at('01:00:00'));
    expect(openTimer('0 9 * * *', 0, 'Asia/Jakarta').nextFireTime()).toBe(at('02:00:00'));
  });

  test.each([
    ['0 * * * *', 60],
    ['*/15 * * * *', 60],
    ['* * * * *', 30],
    ['*/20 * * * * *', 10],
    ['* * * * * *', 0.5],
  ])('of %s is at most %f s after the time of the cron expression', (expression, mostSeconds) => {
    vi.setSystemTime(at('12:59:59.999'));
    const inTime = openTimer(expression, 0).nextFireTime();
    expect(inTime).toBe(at('13:00:00'));
    expect(openTimer(expression, 1).nextFireTime() - inTime).toBe(mostSeconds * 1_000);
    expect(openTimer(expression, 0.5).nextFireTime() - inTime).toBe(mostSeconds * 500);
  });

  test('is always in the future, and a constant jitter after the time of the cron expression', () => {
    vi.setSystemTime(at('12:00:00'));
    const timer = openTimer('*/2 * * * *', 0.7);
    for (let step = 0; step < 100; step += 1) {
      const now = at('12:00:00') + step * 7_919;
      vi.setSystemTime(now);
      const next = timer.nextFireTime();
      expect(next).toBeGreaterThan(now);
      expect(next - now).toBeLessThanOrEqual(120_000);
      expect(next % 120_000).toBe(42_000);
    }
  });

  test('is followed by the next one after intervalMs', () => {
    vi.setSystemTime(at('12:07:00'));
    expect(openTimer('*/15 * * * *', 0.5).intervalMs).toBe(15 * 60_000);
    expect(openTimer('0 9 * * *', 0.5).intervalMs).toBe(24 * 60 * 60_000);
  });
});
