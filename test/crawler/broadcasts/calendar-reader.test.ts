import { describe, expect, test } from 'vitest';
import { isDue, nextReadingAt, openCalendar } from '../../../src/crawler/broadcasts/calendar-reader.ts';
import { openMemoryStore } from '../../../src/store/drivers/memory.ts';
import { openSnapshotStore } from '../../../src/store/snapshot-store.ts';
import { writeValues } from '../../support/write-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-10-07T13:00:00Z');

/** When requests are sent in two days, as minutes after the start, where each reading sends so many and ends as `isGood` says. */
function simulate(requestsEach: number, isGood: (reading: number) => boolean): number[] {
  const sent: number[] = [];
  let nextAt = 0;
  for (let [now, readings] = [START, 0]; now < START + 48 * HOUR; now += MINUTE) {
    if (!isDue(nextAt, now)) continue;
    for (let request = 0; request < requestsEach; request += 1) sent.push((now - START) / MINUTE);
    nextAt = nextReadingAt(now, isGood(readings) ? 10 : requestsEach);
    readings += 1;
  }
  return sent;
}

test('a calendar is read at once, then every six hours', () => {
  expect(simulate(1, () => true)).toEqual([0, 6, 12, 18, 24, 30, 36, 42].map((hours) => hours * 60));
});

test('one that fails is asked again the sooner, the fewer requests that took', () => {
  expect(simulate(1, () => false).slice(0, 4)).toEqual([0, 36, 72, 108]);
  expect([...new Set(simulate(5, () => false))].slice(0, 3)).toEqual([0, 180, 360]);
});

describe('no six hours have more than 20 requests', () => {
  test.each<[string, number, (reading: number) => boolean]>([
    ['of a calendar of ten pages that always fails at the end', 10, () => false],
    ['of one that fails every second time', 8, (reading) => reading % 2 === 1],
    ['of one that fails twice of three times', 3, (reading) => reading % 3 === 2],
    ['of one whose first page fails', 1, () => false],
  ])('%s', (_, each, isGood) => {
    const sent = simulate(each, isGood);
    const inSixHours = sent.map((from) => sent.filter((at) => at >= from && at < from + 360).length);
    expect(Math.max(...inSixHours)).toBeLessThanOrEqual(20);
    expect(sent.length).toBeGreaterThanOrEqual(8 * each);
  });
});

test('a calendar that asks to wait is not asked before, for six hours at most', () => {
  const waitFor = (retryAfterMs: number) => nextReadingAt(START, 1, retryAfterMs) - START;
  expect([MINUTE, HOUR, 400 * HOUR].map(waitFor)).toEqual([36 * MINUTE, HOUR, 6 * HOUR]);
  expect([START - 1, START].map((now) => isDue(START, now))).toEqual([false, true]);
});

test('what a clock that was ahead has left delays no reading', () => {
  expect(isDue(START + 48 * HOUR, START)).toBe(true);
});

describe('while no reading succeeds', () => {
  const url = 'https://calendar.example';
  const calendar = { readAt: START, media: [] };

  async function openAt(now: number, isDown: boolean, configured = url) {
    const values = await openMemoryStore();
    await writeValues(values, { broadcasts: { url, calendar, isDown, nextAt: 0 } });
    const store = await openSnapshotStore(values, { random: () => 0 });
    const options = { store, url: configured, userAgent: 'Tayang/test', report: () => {}, now: () => now };
    const reader = await openCalendar(options);
    return [reader.readAt(), reader.state()];
  }

  test('what was last good is used for a week, and then nothing is', async () => {
    const state = { state: 'down', readAt: START };
    expect(await openAt(START + 167 * HOUR, true)).toEqual([START, state]);
    expect(await openAt(START + 169 * HOUR, true)).toEqual([0, state]);
  });

  test('what another address said is not used', async () => {
    expect(await openAt(START, false)).toEqual([START, { state: 'ok', readAt: START }]);
    expect(await openAt(START, false, 'anilist:')).toEqual([0, { state: 'absent', readAt: null }]);
  });
});
