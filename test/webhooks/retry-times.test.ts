import { expect, test } from 'vitest';
import { clampNextAttempt, retryWaitMs } from '../../src/webhooks/delivery.ts';

const MINUTE = 60_000;
const options = { random: () => 0 };

test('the wait doubles from five seconds to half an hour, with a jitter', () => {
  const waits = [1, 2, 3, 9, 10, 11, 5_000].map((failures) => retryWaitMs(failures, 0, options));
  expect(waits).toEqual([5_000, 10_000, 20_000, 1_280_000, 30 * MINUTE, 30 * MINUTE, 30 * MINUTE]);
  expect(retryWaitMs(1, 0, { random: () => 1 })).toBe(6_000);
});

test('Retry-After makes the wait longer, up to six hours, and never shorter', () => {
  expect(retryWaitMs(1, 90_000, options)).toBe(90_000);
  expect(retryWaitMs(9, 1_000, options)).toBe(1_280_000);
  expect(retryWaitMs(1, 10 ** 12, options)).toBe(6 * 60 * MINUTE);
});

test('an attempt that was planned before the clock was set back is made within six hours', () => {
  const now = 1_000;
  expect(clampNextAttempt(now + 1_440 * 60 * MINUTE, now)).toBe(now + 6 * 60 * MINUTE);
  expect(clampNextAttempt(now + MINUTE, now)).toBe(now + MINUTE);
  expect(clampNextAttempt(null, now)).toBeNull();
});
