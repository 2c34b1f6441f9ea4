import { describe, expect, test } from 'vitest';
import { isDue, retryAfter } from '../../../src/crawler/broadcasts/calendar-reader.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-10-07T13:00:00Z');

/** When requests are sent in two days, as minutes after the start, where each reading sends so many and ends as `isGood` says. */
function simulate(requestsEach: number, isGood: (reading: number) => boolean): number[] {
  let known = { nextAt: 0, requests: [] as number[] };
  const sent: number[] = [];
  let readings = 0;
  for (let now = START; now < START + 48 * HOUR; now += MINUTE) {
    if (!isDue(known, now)) continue;
    const requests = Array.from({ length: requestsEach }, () => now);
    sent.push(...requests);
    const pauseMs = isGood(readings) ? 6 * HOUR : retryAfter({ retryAfterMs: undefined });
    known = { nextAt: now + pauseMs, requests: [...known.requests, ...requests] };
    readings += 1;
  }
  return sent.map((at) => (at - START) / MINUTE);
}

test('a calendar is read at once, then every six hours', () => {
  expect(simulate(1, () => true)).toEqual([0, 6, 12, 18, 24, 30, 36, 42].map((hours) => hours * 60));
});

test('one that fails is asked again every quarter of an hour, as long as it may be', () => {
  const sent = simulate(1, () => false);
  expect(sent.slice(0, 4)).toEqual([0, 15, 30, 45]);
  expect(sent.filter((minute) => minute < 360)).toHaveLength(11);
});

describe('no six hours have more than 20 requests', () => {
  test.each<[string, number, (reading: number) => boolean]>([
    ['of a calendar of ten pages that always fails at the end', 10, () => false],
    ['of one that fails every second time', 8, (reading) => reading % 2 === 1],
    ['of one that fails twice of three times', 3, (reading) => reading % 3 === 2],
  ])('%s', (_, each, isGood) => {
    const sent = simulate(each, isGood);
    const inSixHours = sent.map((from) => sent.filter((at) => at >= from && at < from + 360).length);
    expect(Math.max(...inSixHours)).toBeLessThanOrEqual(20);
    expect(sent.length).toBeGreaterThan(8 * each);
  });
});

test('a calendar that asks to wait is not asked before, for six hours at most', () => {
  expect(retryAfter({ retryAfterMs: 60_000 })).toBe(15 * MINUTE);
  expect(retryAfter({ retryAfterMs: HOUR })).toBe(HOUR);
  expect(retryAfter({ retryAfterMs: 400 * HOUR })).toBe(6 * HOUR);
  expect(isDue({ nextAt: START + HOUR, requests: [] }, START)).toBe(false);
  expect(isDue({ nextAt: START, requests: [] }, START)).toBe(true);
});

test('what a clock that was ahead has left delays no reading', () => {
  const ahead = START + 48 * HOUR;
  expect(isDue({ nextAt: ahead, requests: [ahead] }, START)).toBe(true);
});
