import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectEpisode } from '../../src/belief/expectations/expected-times.ts';
import type { EpisodeRelease } from '../../src/domain/episode-history.ts';
import type { ShortDate } from '../../src/domain/source-date.ts';
import { datedBefore, sourceDate } from '../../src/domain/source-date.ts';
import { createRandom } from '../support/create-random.ts';
import { foresee } from '../support/foresee.ts';
import { inventReleases } from '../support/releases.ts';
import CASES from './expected-times.json' with { type: 'json' };

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
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
/** What is expected where the source was read well a moment ago, or at another time. */
const expectNext = (releases: EpisodeRelease[], now: number, readAt: number | null = now) =>
  expectEpisode({ releases }, { readAt, now });

interface Case {
  name: string;
  /** How many minutes later in the week than the first episode each one came, the first one first. */
  late: number[];
  /** Whether all that is known of them is their dates and the newest time, or when they were seen. */
  known?: 'dates' | 'sightings';
  listed?: { episode: number; date: ShortDate };
  details?: { status: 'ongoing' | 'completed' | null; isDropped?: true; totalEpisodes: number | null };
  /** When the next one is asked for, in weeks after the first one. */
  week: number;
  /** `at`: weeks and minutes after the first one, and how many minutes it may be off. */
  expect: { episode?: number; basis?: number; late?: boolean; at?: [number, number, number] } | null;
}

describe('an episode is expected', () => {
  test.each(CASES as Case[])('$name', ({ late, known, listed, details, week, expect: expected }) => {
    const exact = weekly(...late);
    const seen = exact.map(({ episode, releasedAt = 0 }) => ({ episode, seenAt: releasedAt }));
    const releases = { dates: dated(exact), sightings: seen, times: exact }[known ?? 'times'];
    const card = listed
      ? [{ episode: listed.episode, date: datedBefore(listed.date, FIRST + week * WEEK) }]
      : [];
    const now = FIRST + week * WEEK;
    const next = expectEpisode({ releases: [...card, ...releases], details }, { readAt: now, now });
    if (!expected) return expect(next ?? null).toBeNull();
    const { at, ...more } = expected;
    expect(next).toMatchObject(more);
    if (!at) return;
    const [weeks, minutes, tolerance] = at;
    const offMs = Math.abs(next!.expectedAt - (FIRST + weeks * WEEK + minutes * MINUTE));
    expect(offMs).toBeLessThanOrEqual(tolerance * MINUTE);
  });

  test('until it is three days late, then a week later, and not any more', () => {
    const releases = weekly(0, 0, 0, 0);
    const { latest, expectedAt } = expectNext(releases, FIRST + 3.5 * WEEK)!;
    expect(expectNext(releases, latest)).toMatchObject({ expectedAt, late: false });
    expect(expectNext(releases, latest + 1)).toMatchObject({ expectedAt, late: true });
    expect(expectNext(releases, latest + 3 * DAY - 1)).toMatchObject({ expectedAt, late: true, episode: 5 });
    const weekLater = expectNext(releases, latest + 3 * DAY);
    expect(weekLater).toMatchObject({ expectedAt: expectedAt + WEEK, late: false });
    expect(expectNext(releases, latest + WEEK)).toMatchObject({ late: false });
    expect(expectNext(releases, latest + WEEK + 1)).toBeNull();
  });
});

describe('where nobody could look', () => {
  const releases = weekly(0, 0, 0, 0);
  const { latest, expectedAt } = expectNext(releases, FIRST + 3.5 * WEEK)!;
  /** What is expected so long after the first window, by what was last read so long after it. */
  const at = (now: number, readAt: number | null) =>
    expectNext(releases, latest + now, readAt === null ? null : latest + readAt);
  const LATE = { late: true, unseen: false };
  const UNSEEN = { late: false, unseen: true };
  const OPEN = { late: false, unseen: false };

  test.each([null, -DAY, -1, 0])(
    'an episode whose window is over is unseen, and not late (read at %s)',
    (readAt) => {
      for (const now of [1, DAY, 3 * DAY - 1])
        expect(at(now, readAt)).toMatchObject({ episode: 5, expectedAt, ...UNSEEN });
      expect(at(0, readAt)).toMatchObject({ episode: 5, expectedAt, ...OPEN });
    },
  );

  test('the first good reading after the window decides, whenever it comes', () => {
    expect(at(2, 1)).toMatchObject({ episode: 5, expectedAt, ...LATE });
    expect(at(2 * DAY, 2 * DAY)).toMatchObject({ episode: 5, expectedAt, ...LATE });
    expect(at(4 * DAY, 4 * DAY)).toMatchObject({ episode: 5, expectedAt: expectedAt + WEEK, ...OPEN });
    expect(at(8 * DAY, 8 * DAY)).toBeNull();
  });

  test('what was seen to be late stays so for three days, also where the source is away again', () => {
    for (const now of [DAY, 3 * DAY - 1]) expect(at(now, 60_000)).toMatchObject({ expectedAt, ...LATE });
    expect(at(3 * DAY, 60_000)).toMatchObject({ episode: 5, expectedAt: expectedAt + WEEK, ...OPEN });
    // The second slot was not seen to pass, so that something is expected after it.
    expect(at(WEEK + 1, 60_000)).toMatchObject({ episode: 5, expectedAt: expectedAt + WEEK, ...UNSEEN });
    expect(at(WEEK + 3 * DAY, 60_000)).toMatchObject({
      episode: 6,
      expectedAt: expectedAt + 2 * WEEK,
      ...OPEN,
    });
  });

  test('slots that nobody could look at never make that nothing is expected, however many', () => {
    for (let days = 0; days < 100; days += 0.5) {
      const next = at(days * DAY, -DAY)!;
      expect(next).toMatchObject({ late: false, unseen: latest + days * DAY > next.latest });
      expect(next.latest + 3 * DAY).toBeGreaterThan(latest + days * DAY);
      expect(next.episode - 5).toBe((next.expectedAt - expectedAt) / WEEK);
    }
  });

  test('the last episode of a season stays unseen, and none is invented after it', () => {
    const next = (totalEpisodes: number, days: number) => {
      const details = { status: 'ongoing' as const, totalEpisodes };
      const now = latest + days * DAY;
      return expectEpisode({ releases, details }, { readAt: latest - DAY, now });
    };
    expect(next(5, 30)).toMatchObject({ episode: 5, expectedAt, ...UNSEEN });
    expect(next(6, 30)).toMatchObject({ episode: 6, expectedAt: expectedAt + WEEK, ...UNSEEN });
    expect(next(4, 30)).toBeNull();
  });
});

describe('what came without a number', () => {
  const releases = weekly(0, 0, 0, 0);
  const slot = FIRST + 4 * WEEK;
  const unnumbered = [{ date: sourceDate(slot), at: slot }];
  const next = (now: number) => expectEpisode({ releases, unnumbered }, { readAt: now, now });

  test('has used its slot: nothing is late because of it, and the next one comes a period later', () => {
    const expected = { episode: 5, expectedAt: slot + WEEK, late: false, unseen: false };
    for (const days of [0, 1, 6]) expect(next(slot + days * DAY)).toMatchObject(expected);
    expect(expectNext(releases, slot + DAY)).toMatchObject({ episode: 5, late: true });
    expect(next(slot + 8 * DAY)).toMatchObject({ episode: 5, expectedAt: slot + WEEK, late: true });
  });

  test('and no time has used the slot of its day', () => {
    const dated = [{ date: sourceDate(slot) }];
    const found = expectEpisode({ releases, unnumbered: dated }, { readAt: slot, now: slot });
    expect(found?.expectedAt).toBe(slot + WEEK);
  });

  test('counts no more once an episode of its day is known', () => {
    const known = weekly(0, 0, 0, 0, 0);
    const found = expectEpisode({ releases: known, unnumbered }, { readAt: slot, now: slot });
    expect(found).toEqual(expectNext(known, slot));
  });

  test('says nothing of an anime without any episode', () => {
    expect(expectEpisode({ releases: [], unnumbered }, { readAt: slot, now: slot })).toBeUndefined();
  });
});

test('an expected time lies in its window, which is not three days over, and at most one and a half periods ahead', () => {
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
      expect(next.basis).toBeGreaterThanOrEqual(1);
      expect(next.expectedAt).toBeGreaterThan(at);
      expect(next.earliest).toBeLessThan(next.expectedAt);
      expect(next.latest).toBeGreaterThan(next.expectedAt);
      expect(next.late).toBe(next.latest < now);
      expect(next.latest + 3 * DAY).toBeGreaterThan(now);
      // The newest release takes the nearest slot, half a period away at most, and of its day alone noon is taken.
      expect(next.expectedAt - now).toBeLessThanOrEqual(1.5 * next.periodMs + DAY / 2);
    }),
    { numRuns: 2000 },
  );
});

test.each([1, 2, 3, 4, 5])(
  'of the releases of a held-out week eight of ten come in their windows, and half within a quarter of an hour (seed %i)',
  (seed) => {
    const releases = inventReleases(9, seed);
    const { errorsMs, inWindow, releases: count } = foresee(releases, releases.at(-1)!.at - WEEK);
    const sorted = errorsMs.toSorted((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(15 * MINUTE);
    expect(inWindow / errorsMs.length).toBeGreaterThanOrEqual(0.8);
    // A median of few would say little.
    expect(errorsMs.length).toBeGreaterThan(count / 2);
  },
);

test('in twelve weeks of fifty anime, some of them late or skipped, none is late in a slot that an episode has taken', () => {
  const random = createRandom(1);
  const hours = { late: 0, wrong: 0 };
  for (let anime = 0; anime < 50; anime += 1) {
    const slots = Array.from(
      { length: 12 },
      (_, week) => FIRST + week * WEEK + Math.floor(random() * 10) * MINUTE,
    );
    const aired = slots.flatMap((at) => {
      const chance = random();
      if (chance < 0.1) return [];
      return at + (chance < 0.13 ? DAY : chance < 0.16 ? DAY / 2 : 0);
    });
    for (let now = FIRST; now < FIRST + 12 * WEEK; now += 60 * MINUTE) {
      const out = aired
        .filter((at) => at <= now)
        .map((at, index) => ({ episode: index + 1, releasedAt: at, date: sourceDate(at) }));
      if (!expectNext(out.reverse(), now)?.late) continue;
      const slot = slots.findLast((at) => at <= now)!;
      hours.late += 1;
      if (out.some(({ releasedAt }) => releasedAt >= slot)) hours.wrong += 1;
    }
  }
  expect(hours.late).toBeGreaterThan(0);
  expect(hours.wrong).toBe(0);
});
