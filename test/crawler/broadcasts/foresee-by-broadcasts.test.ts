import { describe, expect, test } from 'vitest';
import { foresee } from '../../../src/belief/expectations/foresee.ts';
import { foreseeByBroadcasts } from '../../../src/belief/expectations/foresee-by-broadcasts.ts';
import type { Broadcast, Medium } from '../../../src/domain/broadcast.ts';
import type { EpisodeRelease } from '../../../src/domain/episode-history.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import { sourceDate } from '../../../src/domain/source-date.ts';
import { createRandom } from '../../support/create-random.ts';
import { listingOf, makeAnime } from '../../support/fake-source.ts';
import { ledgerOf } from '../../support/ledger.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** A Wednesday, 22:00 in Tokyo: the first broadcast. */
const FIRST = Date.parse('2026-10-07T13:00:00Z');
const ANIME = makeAnime(1);

interface Situation {
  /** When the broadcasts of the episodes from `firstEpisode` on are, in weeks after the first one. */
  broadcasts: number[];
  firstEpisode?: number;
  /** The releases of the source, oldest first, as hours after the first broadcast; a day alone is known of the others. */
  released?: { episode: number; afterHours: number; isExact?: boolean }[];
  isOnlyScheduled?: boolean;
  isDownSince?: number;
  /** The last good reading showed a moment so many hours after the first broadcast, though the source answers. */
  isOldSince?: number;
}

function makeMedium(id: number, { title }: OngoingAnime, broadcasts: Broadcast[]): Medium {
  return { id, idMal: null, romaji: title, english: null, native: null, synonyms: [], broadcasts };
}

/** What is expected of the anime so many hours after its first broadcast. */
function expectAt(afterHours: number, { broadcasts, released = [], ...of }: Situation) {
  const now = FIRST + afterHours * HOUR;
  const releases = released.toReversed().map(({ episode, afterHours, isExact = true }): EpisodeRelease => {
    const at = FIRST + afterHours * HOUR;
    return { episode, ...(isExact && { releasedAt: at }), date: sourceDate(at) };
  });
  const history = { [ANIME.slug]: releases };
  const ongoing = of.isOnlyScheduled ? [] : [ANIME];
  const snapshot = { ...listingOf(ongoing, [ANIME]), ongoingChangedAt: 0, ledger: ledgerOf(history) };
  const state = of.isDownSince === undefined ? ('ok' as const) : ('down' as const);
  const readAfter = of.isDownSince ?? of.isOldSince ?? afterHours;
  const status = { state, readAt: FIRST + readAfter * HOUR };
  const slots = broadcasts.map((weeks, index) => ({
    episode: (of.firstEpisode ?? 1) + index,
    at: FIRST + weeks * WEEK,
  }));
  const calendar = { readAt: now, media: [makeMedium(7, ANIME, slots)] };
  const own = foresee({ snapshot, status }, now).expected[ANIME.slug];
  const foreseen = foreseeByBroadcasts(calendar, { snapshot, status }, now);
  const next = foreseen.expected[ANIME.slug];
  const hoursOf = (at: number) => (at - FIRST) / HOUR;
  return {
    own,
    next,
    assumed: foreseen.calendar?.assumed[ANIME.slug]?.map(({ episode, expectedAt }) => [
      episode,
      hoursOf(expectedAt),
    ]),
    short: next && [next.episode, hoursOf(next.expectedAt), next.basis, next.late],
  };
}

const WEEKLY = [0, 1, 2, 3];
const WEEK_HOURS = 168;

describe('where the source gives no time', () => {
  test('the hour of a first episode that only the schedule lists is its broadcast and the usual delay', () => {
    const { own, short } = expectAt(-24, { broadcasts: WEEKLY, isOnlyScheduled: true });
    expect(own).toBeUndefined();
    expect(short).toEqual([1, 2.25, 'broadcast', false]);
  });

  test('the second one comes so long after its broadcast as the first did', () => {
    const released = [{ episode: 1, afterHours: 4 }];
    const daysKnown = [{ episode: 1, afterHours: 4, isExact: false }];
    expect(expectAt(24, { broadcasts: WEEKLY, released: daysKnown }).short).toEqual([
      2,
      WEEK_HOURS + 2.25,
      'broadcast',
      false,
    ]);
    expect(expectAt(24, { broadcasts: [0, 2, 3], released }).short).toEqual([
      2,
      2 * WEEK_HOURS + 4,
      'broadcast',
      false,
    ]);
  });

  test('an episode that does not come is late for three days, is expected once more, and then never', () => {
    const situation = { broadcasts: WEEKLY, released: [{ episode: 1, afterHours: 4, isExact: false }] };
    const at = (hours: number) => expectAt(WEEK_HOURS + hours, situation).short;
    expect(at(5)).toEqual([2, WEEK_HOURS + 2.25, 'broadcast', false]);
    expect(at(6)).toEqual([2, WEEK_HOURS + 2.25, 'broadcast', true]);
    expect(at(6 + 72)).toEqual([2, 2 * WEEK_HOURS + 2.25, 'broadcast', false]);
    expect(at(6 + WEEK_HOURS)).toBeNull();
  });

  test('of an anime that only the schedule lists, no episode but the first is ever late', () => {
    const situation = { broadcasts: WEEKLY, isOnlyScheduled: true };
    expect(expectAt(6, situation).short).toEqual([1, 2.25, 'broadcast', true]);
    expect(expectAt(6, { ...situation, firstEpisode: 5 }).short).toEqual([
      6,
      WEEK_HOURS + 2.25,
      'broadcast',
      false,
    ]);
  });
});

describe('where the source gives a time', () => {
  const released = [1, 2, 3].map((episode) => ({ episode, afterHours: (episode - 1) * WEEK_HOURS + 4 }));

  test('it is never overruled, whatever the hour of the broadcast', () => {
    const { own, next } = expectAt(2 * WEEK_HOURS + 24, { broadcasts: [0, 1, 2, 2.3, 4], released });
    expect(next).toEqual(own);
    expect(next?.basis).toBe(3);
  });

  test.each([1, 2])('a break of %d weeks moves the expectation, and nothing is late meanwhile', (weeks) => {
    const situation = { broadcasts: [0, 1, 2, 3 + weeks], released };
    for (let hours = 2 * WEEK_HOURS + 12; hours < (3 + weeks) * WEEK_HOURS + 4; hours += 6) {
      const { next } = expectAt(hours, situation);
      expect(next).toMatchObject({ episode: 4, late: false });
      expect(next?.expectedAt).toBe(FIRST + (3 + weeks) * WEEK + 4 * HOUR);
    }
    expect(expectAt(3 * WEEK_HOURS + 24, situation).own?.late).toBe(true);
  });

  test.each([
    ['is one ahead', [0, 1, 2, 4], 2],
    ['goes on from the season before', [0, 1, 2, 4], 13],
    ['is one behind', [1, 2, 4, 5], 1],
  ])('a calendar whose numbering %s is no witness', (_, broadcasts, firstEpisode) => {
    const { own, next } = expectAt(2 * WEEK_HOURS + 12, { broadcasts, firstEpisode, released });
    expect(next).toEqual(own);
  });
});

test('a source that answers with old pages leaves the slot of a broadcast unseen, and not out', () => {
  const released = [{ episode: 1, afterHours: 4, isExact: false }];
  const old = { broadcasts: WEEKLY, released, isOldSince: 24 };
  const { assumed, next } = expectAt(WEEK_HOURS + 6, old);
  expect(assumed).toBeUndefined();
  expect(next).toMatchObject({ episode: 2, basis: 'broadcast', late: false, unseen: true });
  // After three days the next broadcast is expected, with its own number.
  expect(expectAt(WEEK_HOURS + 6 + 72, old).next).toMatchObject({ episode: 3, late: false, unseen: false });
});

describe('while the source cannot be read', () => {
  const released = [1, 2].map((episode) => ({ episode, afterHours: (episode - 1) * WEEK_HOURS + 4 }));
  const down = { broadcasts: WEEKLY, released, isDownSince: WEEK_HOURS + 48 };

  test('episodes that should have come count as out, and the next one is expected', () => {
    const { assumed, short } = expectAt(2 * WEEK_HOURS + 24, down);
    expect(assumed).toEqual([[3, 2 * WEEK_HOURS + 4]]);
    expect(short).toEqual([4, 3 * WEEK_HOURS + 4, 'broadcast', false]);
  });

  test('without a calendar they are unseen', () => {
    const { own } = expectAt(2 * WEEK_HOURS + 24, down);
    expect(own).toMatchObject({ episode: 3, late: false, unseen: true });
  });

  test('none counts as out before its window is over, or when the source was read after it', () => {
    expect(expectAt(2 * WEEK_HOURS + 5, down).assumed).toBeUndefined();
    const read = { ...down, isDownSince: 2 * WEEK_HOURS + 12 };
    expect(expectAt(2 * WEEK_HOURS + 24, read)).toMatchObject({ assumed: undefined, next: { late: true } });
  });
});

/** Sixty anime over twelve weeks; of their broadcasts 2.8 % are skipped. The source has each some hours later. */
function inventSeason() {
  const random = createRandom(7);
  return Array.from({ length: 60 }, (_, index) => {
    const slot = FIRST + index * 2.7 * HOUR;
    const delay = (1.5 + 3.5 * random()) * HOUR;
    let week = 0;
    const aired = Array.from({ length: 12 }, (_, episode) => {
      if (episode > 0) week += random() < 0.028 ? 2 : 1;
      return slot + week * WEEK;
    });
    return { anime: makeAnime(index + 1), aired, out: aired.map((at) => at + delay + 0.5 * HOUR * random()) };
  });
}

test('of a season, every first episode has its hour, and no break is called late', () => {
  const season = inventSeason();
  const count = { withHour: [0, 0], firstWeeks: 0, falseLate: [0, 0] };
  const listed = season.map(({ anime }) => anime);
  for (let now = FIRST - 12 * HOUR; now < FIRST + 13 * WEEK; now += 6 * HOUR) {
    const history = Object.fromEntries(
      season.map(({ anime, out }) => [
        anime.slug,
        out
          .flatMap((at, index) =>
            at <= now ? [{ episode: index + 1, releasedAt: at, date: sourceDate(at) }] : [],
          )
          .reverse(),
      ]),
    );
    const isNear = ({ at }: Broadcast) => at > now - 8 * DAY && at < now + 14 * DAY;
    const media = season.map(({ anime, aired }, index) => {
      const broadcasts = aired.map((at, episode) => ({ episode: episode + 1, at }));
      return makeMedium(index + 1, anime, broadcasts.filter(isNear));
    });
    const ongoing = listed.filter(({ slug }) => (history[slug]?.length ?? 0) > 0);
    const snapshot = { ...listingOf(ongoing, listed), ongoingChangedAt: 0, ledger: ledgerOf(history) };
    const known = { snapshot, status: { state: 'ok' as const, readAt: now } };
    const both = [foresee(known, now), foreseeByBroadcasts({ readAt: now, media }, known, now)];
    for (const { anime, out } of season) {
      const released = history[anime.slug]?.length ?? 0;
      const nextAt = out[released];
      if (nextAt === undefined) continue;
      const isNear = released < 3 && nextAt - now <= 6 * HOUR;
      if (isNear) count.firstWeeks += 1;
      for (const [index, one] of both.entries()) {
        const next = one.expected[anime.slug];
        if (isNear && next) count.withHour[index]! += 1;
        if (next?.late) count.falseLate[index]! += 1;
      }
    }
  }
  expect(count.firstWeeks).toBe(180);
  expect(count.withHour).toEqual([120, 180]);
  expect(count.falseLate).toEqual([expect.toSatisfy((late) => late > 100), 0]);
});
