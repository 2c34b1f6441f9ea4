import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectEpisode, expectEpisodes } from '../../src/crawler/timing/expected-times.ts';
import { type EpisodeRelease, sourceDate } from '../../src/domain/episode-history.ts';
import { foresee } from '../support/foresee.ts';
import { inventReleases } from '../support/releases.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** Some Friday, 20:30 at the source. */
const FIRST = Date.parse('2026-09-04T13:30:00Z');

/** Exact releases, newest first. Each number is how many minutes later in the week than the first one it is. */
const weekly = (...minutes: number[]): EpisodeRelease[] =>
  minutes
    .map((late, week) => ({ episode: week + 1, releasedAt: FIRST + week * WEEK + late * MINUTE }))
    .reverse();
/** The same, of which only the newest has a time. */
const dated = (releases: EpisodeRelease[]): EpisodeRelease[] =>
  releases.map(({ episode, releasedAt = 0 }, index) =>
    index === 0
      ? { episode, releasedAt, date: sourceDate(releasedAt) }
      : { episode, date: sourceDate(releasedAt) },
  );
const expectNext = (releases: EpisodeRelease[], now: number, more = {}) =>
  expectEpisode({ releases, ...more }, now);

describe('an episode is expected', () => {
  test('a week after the last one, at the median time of the week, in a window that reaches further where lateness is', () => {
    const next = expectNext(weekly(0, 4, -3, 2, 70), FIRST + 4.5 * WEEK)!;
    expect(next).toMatchObject({
      episode: 6,
      expectedAt: FIRST + 5 * WEEK + 2 * MINUTE,
      basis: 5,
      late: false,
    });
    expect(next.expectedAt - next.earliest).toBeLessThan(25 * MINUTE);
    expect(next.latest - next.expectedAt).toBeGreaterThan(60 * MINUTE);
  });

  test('on the first day: by one exact time and two more dates of the same day of the week', () => {
    expect(expectNext(dated(weekly(0, 0, 0)), FIRST + 2 * WEEK + DAY)).toMatchObject({
      episode: 4,
      expectedAt: FIRST + 3 * WEEK,
      basis: 3,
    });
    expect(expectNext(dated(weekly(0, 0)), FIRST + WEEK + DAY)).toBeNull();
  });

  test('by what the list says of an episode that nothing else has told', () => {
    const listed = { episode: 3, date: '18 Sep' } as const;
    const next = expectNext(dated(weekly(0, 0)), FIRST + 2 * WEEK + DAY, { listed });
    expect(next).toMatchObject({ episode: 4, expectedAt: FIRST + 3 * WEEK, basis: 3 });
  });

  test('once there are three sightings, where the source tells no times', () => {
    const seen = weekly(0, 0, 0).map(({ episode, releasedAt = 0 }) => ({ episode, seenAt: releasedAt }));
    expect(expectNext(seen.slice(1), FIRST + WEEK + DAY)).toBeNull();
    expect(expectNext(seen, FIRST + 2 * WEEK + DAY)).toMatchObject({ episode: 4, basis: 3 });
  });

  test('although one release was on another day', () => {
    const next = expectNext(weekly(0, 1, 2 * 24 * 60, 2, 3), FIRST + 4.1 * WEEK);
    expect(next).toMatchObject({ basis: 4, episode: 6 });
  });

  test('at the usual time after an episode that was days late', () => {
    const next = expectNext(weekly(0, 1, 2, 3 * 24 * 60), FIRST + 3.5 * WEEK)!;
    expect(Math.abs(next.expectedAt - (FIRST + 4 * WEEK))).toBeLessThan(5 * MINUTE);
  });

  test('around midnight, where the days of the source alternate', () => {
    const midnight = (Date.parse('2026-09-04T17:00:00Z') - FIRST) / MINUTE;
    const releases = dated(weekly(...[-5, 4, -3, 6, -2].map((late) => midnight + late)));
    expect(expectNext(releases, FIRST + 4.5 * WEEK)).toMatchObject({ basis: 5 });
  });

  test('at another hour, once two episodes came then', () => {
    const at = (releases: EpisodeRelease[], week: number) =>
      (expectNext(releases, FIRST + (week - 0.5) * WEEK)!.expectedAt - FIRST - week * WEEK) / MINUTE;
    expect(Math.abs(at(weekly(0, 2, -2, 1, 180), 5))).toBeLessThan(5);
    expect(Math.abs(at(weekly(0, 2, -2, 1, 180, 184), 6) - 182)).toBeLessThan(5);
  });

  test('in a window that reaches to where the time drifts', () => {
    const next = expectNext(weekly(0, 10, 20, 30, 40, 50), FIRST + 5.5 * WEEK)!;
    expect(next.latest).toBeGreaterThan(FIRST + 6 * WEEK + 60 * MINUTE);
    expect(next.expectedAt).toBe(FIRST + 6 * WEEK + 40 * MINUTE);
  });

  test('every two weeks, where it comes so', () => {
    const fortnightly = [2, 1, 0].map((n) => ({ episode: n + 1, releasedAt: FIRST + 2 * n * WEEK }));
    expect(expectNext(fortnightly, FIRST + 4 * WEEK + DAY)?.expectedAt).toBe(FIRST + 6 * WEEK);
  });

  test('a week after one that was a week off', () => {
    const releases = weekly(0, 0, 0, 0).map((release) =>
      release.episode > 2 ? { ...release, releasedAt: release.releasedAt! + WEEK } : release,
    );
    expect(expectNext(releases, FIRST + 4 * WEEK + DAY)?.expectedAt).toBe(FIRST + 5 * WEEK);
  });

  test('until it is three days late, then a week later, and at last not any more', () => {
    const releases = weekly(0, 0, 0, 0);
    const { latest, expectedAt } = expectNext(releases, FIRST + 3.5 * WEEK)!;
    expect(expectNext(releases, latest)).toMatchObject({ expectedAt, late: false });
    expect(expectNext(releases, latest + 1)).toMatchObject({ expectedAt, late: true });
    expect(expectNext(releases, latest + 3 * DAY - 1)).toMatchObject({ expectedAt, late: true, episode: 5 });
    expect(expectNext(releases, latest + 3 * DAY)).toMatchObject({
      expectedAt: expectedAt + WEEK,
      late: false,
    });
    expect(expectNext(releases, FIRST + 8 * WEEK)).toBeNull();
  });
});

describe('no episode is expected', () => {
  test.each([
    ['when the times are spread over the week', weekly(0, 3_000, -2_500, 1_500, 4_700)],
    ['when the last two were on another day', weekly(0, 0, 0, 0, 0, 0, 2_880, 2_880)],
    [
      'when all of them were put up again on one day',
      dated(weekly(0)).flatMap((one) => [1, 2, 3].map((episode) => ({ ...one, episode }))),
    ],
    ['when nothing is known', []],
  ])('%s', (_name, releases) => {
    expect(expectNext(releases, (releases[0]?.releasedAt ?? FIRST) + DAY)).toBeNull();
  });

  test.each([
    ['when it is complete', { status: 'completed', totalEpisodes: null }],
    ['after its last episode', { status: 'ongoing', totalEpisodes: 4 }],
  ] as const)('%s', (_name, details) => {
    expect(expectNext(weekly(0, 0, 0, 0), FIRST + 3.5 * WEEK, { details })).toBeNull();
  });

  test('from an earlier season, until the new season has three', () => {
    const before = weekly(0, 0, 0, 0, 0);
    const start = FIRST + 20 * WEEK + 2 * DAY;
    const season = (count: number) =>
      Array.from({ length: count }, (_, week) => ({
        episode: 20 + week,
        releasedAt: start + week * WEEK,
      })).reverse();
    expect(expectNext([...season(2), ...before], start + WEEK + DAY)).toBeNull();
    expect(expectNext([...season(3), ...before], start + 2 * WEEK + DAY)).toMatchObject({
      expectedAt: start + 3 * WEEK,
      basis: 3,
    });
  });
});

test('an expected time lies in its window, which is not three days over, and at most two weeks ahead', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 4 * 7 * 24 * 60 }), { maxLength: 13 });
  fc.assert(
    fc.property(gaps, fc.nat(60 * 24 * 60), fc.nat(3), (minutes, later, exactEvery) => {
      let at = FIRST;
      const releases = minutes
        .map((gap, index) => {
          at += gap * MINUTE;
          const isExact = index % (exactEvery + 1) === 0;
          return { episode: index + 1, date: sourceDate(at), ...(isExact && { releasedAt: at }) };
        })
        .reverse();
      const now = at + later * MINUTE;
      const next = expectNext(releases, now);
      if (!next) return;
      expect(next.basis).toBeGreaterThanOrEqual(3);
      expect(next.earliest).toBeLessThan(next.expectedAt);
      expect(next.latest).toBeGreaterThan(next.expectedAt);
      expect(next.late).toBe(next.latest < now);
      expect(next.latest + 3 * DAY).toBeGreaterThan(now);
      expect(next.expectedAt - now).toBeLessThanOrEqual(2 * WEEK + DAY);
    }),
    { numRuns: 500 },
  );
});

test('expectEpisodes leaves out anime without an expected time', () => {
  const history = { naga: weekly(0, 0, 0), kucing: weekly(0, 0), burung: weekly(0, 0, 0) };
  const image = 'https://img.example/1.jpg';
  const ongoing = ['naga', 'kucing', 'ikan'].map((slug) => ({
    ...{ slug, title: slug, image, day: 'Jumat' as const },
    ...{
      episode: slug === 'kucing' ? 2 : 3,
      date: slug === 'kucing' ? ('11 Sep' as const) : ('18 Sep' as const),
    },
  }));
  const expected = expectEpisodes({ ongoing }, history, FIRST + 2.5 * WEEK);
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
