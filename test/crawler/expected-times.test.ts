import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectEpisode, expectEpisodes } from '../../src/crawler/timing/expected-times.ts';
import { foresee } from '../support/foresee.ts';
import { inventReleases } from '../support/releases.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** Some Friday. */
const FIRST = Date.parse('2026-09-04T13:30:00Z');

/** Weekly sightings, newest first. Each number is how many minutes later in the week than the first one it is. */
const weekly = (...minutes: number[]) =>
  minutes.map((late, week) => ({ episode: week + 1, seenAt: FIRST + week * WEEK + late * MINUTE })).reverse();

describe('an episode is expected', () => {
  test('a week after the last one, at the median time of the week, with a window', () => {
    const sightings = weekly(0, 4, -3, 2, 70);
    expect(expectEpisode(sightings, FIRST + 4.5 * WEEK)).toEqual({
      episode: 6,
      expectedAt: FIRST + 5 * WEEK + 2 * MINUTE,
      earliest: FIRST + 5 * WEEK + (2 - 14) * MINUTE,
      latest: FIRST + 5 * WEEK + (2 + 14) * MINUTE,
      basis: 5,
    });
  });

  test('once there are three sightings', () => {
    expect(expectEpisode(weekly(0, 0), FIRST + 2 * DAY)).toBeNull();
    expect(expectEpisode(weekly(0, 0, 0), FIRST + 2 * WEEK + DAY)).toMatchObject({ episode: 4, basis: 3 });
  });

  test('although one sighting was on another day', () => {
    const sightings = weekly(0, 1, 2 * 24 * 60, 2, 3);
    expect(expectEpisode(sightings, FIRST + 4.1 * WEEK)).toMatchObject({ basis: 4, episode: 6 });
  });

  test('at the usual time after an episode that was days late', () => {
    const next = expectEpisode(weekly(0, 1, 2, 3 * 24 * 60), FIRST + 3.5 * WEEK)!;
    expect(Math.abs(next.expectedAt - (FIRST + 4 * WEEK))).toBeLessThan(5 * MINUTE);
  });

  test('around the turn of the week', () => {
    const sunday = Date.parse('2026-09-06T23:58:00Z') - FIRST;
    const sightings = weekly(...[0, 5, -4, 3].map((late) => sunday / MINUTE + late));
    expect(expectEpisode(sightings, FIRST + sunday + 3.5 * WEEK)).toMatchObject({ basis: 4 });
  });

  test('after a skipped week, but not after three of them', () => {
    const sightings = weekly(0, 0, 0, 0);
    for (const skipped of [0, 1, 2]) {
      const now = FIRST + (3 + skipped + 0.5) * WEEK;
      expect(expectEpisode(sightings, now)).toMatchObject({
        episode: 5,
        expectedAt: FIRST + (4 + skipped) * WEEK,
      });
    }
    expect(expectEpisode(sightings, FIRST + 6.5 * WEEK)).toBeNull();
  });

  test('until its window is over', () => {
    const { latest, expectedAt } = expectEpisode(weekly(0, 0, 0), FIRST + 2.5 * WEEK)!;
    expect(expectEpisode(weekly(0, 0, 0), latest)?.expectedAt).toBe(expectedAt);
    expect(expectEpisode(weekly(0, 0, 0), latest + 1)?.expectedAt).toBe(expectedAt + WEEK);
  });
});

describe('no episode is expected', () => {
  test.each([
    ['when the times are spread over the week', weekly(0, 3_000, -2_500, 1_500, 4_700)],
    ['when too few of them agree', weekly(0, 0, 0, 0, 2_880, 2_880)],
    ['when the last two were at another time', weekly(0, 0, 0, 0, 0, 0, 2_880, 2_880)],
  ])('%s', (_name, sightings) => {
    expect(expectEpisode(sightings, sightings[0]!.seenAt + DAY)).toBeNull();
  });

  test('from sightings of an earlier season, until the new season has three', () => {
    const before = weekly(0, 0, 0, 0, 0);
    const start = FIRST + 20 * WEEK + 2 * DAY;
    const season = (count: number) =>
      Array.from({ length: count }, (_, week) => ({
        episode: 20 + week,
        seenAt: start + week * WEEK,
      })).reverse();
    expect(expectEpisode([...season(2), ...before], start + WEEK + DAY)).toBeNull();
    expect(expectEpisode([...season(3), ...before], start + 2 * WEEK + DAY)).toMatchObject({
      expectedAt: start + 3 * WEEK,
      basis: 3,
    });
  });
});

test('an expected time lies in its window, which is not over, and at most three weeks ahead', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 4 * 7 * 24 * 60 }), { maxLength: 13 });
  fc.assert(
    fc.property(gaps, fc.nat(60 * 24 * 60), (minutes, later) => {
      let at = FIRST;
      const sightings = minutes
        .map((gap, index) => {
          at += gap * MINUTE;
          return { episode: index + 1, seenAt: at };
        })
        .reverse();
      const now = at + later * MINUTE;
      const next = expectEpisode(sightings, now);
      if (!next) return;
      expect(next.basis).toBeGreaterThanOrEqual(3);
      expect(next.earliest).toBeLessThan(next.expectedAt);
      expect(next.latest).toBeGreaterThan(next.expectedAt);
      expect(next.latest).toBeGreaterThanOrEqual(now);
      expect(next.expectedAt - now).toBeLessThanOrEqual(1.5 * WEEK + 2 * HOUR);
      expect(next.expectedAt).toBeGreaterThan(at);
    }),
    { numRuns: 500 },
  );
});

test('expectEpisodes leaves out anime without an expected time', () => {
  const history = { naga: weekly(0, 0, 0), kucing: weekly(0, 0), burung: weekly(0, 0, 0) };
  const anime = ['naga', 'kucing', 'ikan'].map((slug) => ({ slug }));
  const expected = expectEpisodes(history, anime, FIRST + 2.5 * WEEK);
  expect(Object.keys(expected)).toEqual(['naga']);
});

test.each([1, 2, 3, 4, 5])(
  'half of the times expected in a held-out week are wrong by a quarter of an hour at most (seed %i)',
  (seed) => {
    const releases = inventReleases(9, seed);
    const { errorsMs, releases: count } = foresee(releases, releases.at(-1)!.at - WEEK);
    const sorted = errorsMs.toSorted((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(15 * MINUTE);
    // A median of few would say little.
    expect(errorsMs.length).toBeGreaterThan(count / 2);
  },
);
