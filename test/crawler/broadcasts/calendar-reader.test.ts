import { describe, expect, test } from 'vitest';
import { isDue, pauseAfter } from '../../../src/crawler/broadcasts/calendar-reader.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-10-07T13:00:00Z');

/** When requests are sent in two days, as minutes after the start, where each reading sends so many and ends as `isGood` says. */
function simulate(requestsEach: number, isGood: (reading: number) => boolean): number[] {
  let known = { readAt: null as number | null, failures: 0, waitUntil: 0, requests: [] as number[] };
  let pausedUntil = 0;
  const sent: number[] = [];
  let readings = 0;
  for (let now = START; now < START + 48 * HOUR; now += MINUTE) {
    if (!isDue(known, pausedUntil, now)) continue;
    const requests = Array.from({ length: requestsEach }, () => now);
    sent.push(...requests);
    const all = { ...known, requests: [...known.requests, ...requests] };
    pausedUntil = now + pauseAfter(known.failures);
    known = isGood(readings)
      ? { ...all, readAt: now, failures: 0 }
      : { ...all, failures: known.failures + 1 };
    readings += 1;
  }
  return sent.map((at) => (at - START) / MINUTE);
}

test('a calendar is read at once, then every six hours', () => {
  expect(simulate(1, () => true)).toEqual([0, 6, 12, 18, 24, 30, 36, 42].map((hours) => hours * 60));
});

test('one that fails is asked again after 15 minutes, twice as late each time, and every six hours in the end', () => {
  expect(simulate(1, () => false).slice(0, 7)).toEqual([0, 15, 45, 105, 225, 465, 825]);
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

test('a calendar that asked to wait is not asked by a process that starts again, one that just failed is', () => {
  const failed = { readAt: null, failures: 3, requests: [] };
  expect(isDue({ ...failed, waitUntil: START + HOUR }, 0, START)).toBe(false);
  expect(isDue({ ...failed, waitUntil: START }, 0, START)).toBe(true);
});

test('what a clock that was ahead has left delays no reading', () => {
  const ahead = START + 48 * HOUR;
  expect(isDue({ readAt: ahead, failures: 0, waitUntil: 0, requests: [ahead] }, 0, START)).toBe(true);
  expect(isDue({ readAt: null, failures: 2, waitUntil: ahead, requests: [ahead] }, ahead, START)).toBe(true);
});
