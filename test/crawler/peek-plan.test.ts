import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planPeek } from '../../src/crawler/timing/refresh-times.ts';
import { exactly, sightings } from '../support/foresee.ts';
import { HOUR } from '../support/refresh.ts';
import { FIRST_WEEK, inventCalendar, inventReleases } from '../support/releases.ts';
import { simulatePeeks } from '../support/simulate-peeks.ts';

const MINUTE = 60_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const peekMs = 3 * MINUTE;
const windowAt = (at: number, half = 10 * MINUTE) => ({
  earliest: at - half,
  latest: at + half,
});

describe('the wait for the next peek', () => {
  test('ends when a window begins', () => {
    const expected = [windowAt(HOUR)];
    expect(planPeek({ expected, unforeseen: 1, peekMs, now: 48 * MINUTE })).toBe(2 * MINUTE);
  });

  test('is between a third and three times REFRESH_PEEK', () => {
    const windows = fc.array(
      fc.tuple(fc.integer({ min: -DAY, max: 8 * DAY }), fc.integer({ min: 1, max: 2 * HOUR })),
    );
    fc.assert(
      fc.property(windows, fc.integer({ min: 1, max: 60 }), (pairs, unforeseen) => {
        const expected = pairs.map(([at, half]) => windowAt(at, half));
        const waitMs = planPeek({ expected, unforeseen, peekMs, now: 0 });
        expect(waitMs).toBeGreaterThanOrEqual(peekMs / 3);
        expect(waitMs).toBeLessThanOrEqual(3 * peekMs);
      }),
    );
  });
});

/** The most that crawls which peeks lead to can add in a day. */
const CRAWLS_FROM_PEEKS = 8 * 8;
const releases = inventReleases(4);
const hourly = { cron: '0 * * * *', peekMs };

describe('requests a day for six pages', () => {
  const [from, to] = [FIRST_WEEK + 3 * WEEK, FIRST_WEEK + 3 * WEEK + DAY];

  test.each([
    ['when nothing is known', () => ({})],
    ['when all releases were seen', sightings],
  ])('are at most 700 %s, including crawls that peeks cause', (_, learn) => {
    const { requests } = simulatePeeks(releases, { ...hourly, learn }, [from, to]);
    expect(requests).toBeGreaterThan(500);
    expect(requests + CRAWLS_FROM_PEEKS).toBeLessThanOrEqual(700);
  });
});

test('in the first week of a season, the hours of a calendar make episodes seen sooner, with fewer requests', () => {
  const firsts = inventReleases(1, 3);
  const days = [FIRST_WEEK, FIRST_WEEK + 4 * DAY] as const;
  const [without, witnessed] = [undefined, inventCalendar(firsts)].map((calendarAt) => {
    const { lateness, requests } = simulatePeeks(firsts, { ...hourly, learn: exactly, calendarAt }, days);
    return { meanMs: lateness.reduce((sum, ms) => sum + ms, 0) / lateness.length, requests };
  });
  expect(witnessed!.meanMs).toBeLessThan(0.9 * without!.meanMs);
  expect(witnessed!.requests).toBeLessThan(without!.requests);
  expect(witnessed!.requests).toBeLessThanOrEqual(650);
});
