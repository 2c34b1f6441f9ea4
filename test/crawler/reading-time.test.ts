import { describe, expect, test } from 'vitest';
import { ageOf, dateReading, isBehind, shownAt, standsStill } from '../../src/crawler/reading-time.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import type { ShortDate } from '../../src/domain/source-date.ts';
import type { Card, OngoingPage } from '../../src/source/source.ts';
import { initialStatus } from '../../src/store/source-status.ts';
import { makeAnime, showPage } from '../support/fake-source.ts';
import { HOUR } from '../support/refresh.ts';

const NOW = Date.parse('2026-11-20T05:00:00Z');

describe('the time that a page 1 shows', () => {
  test.each<[string, { builtAt?: number; unchanged: number }, number, boolean]>([
    ['is now without any word of its age', { unchanged: 0 }, 0, false],
    ['is now while it has changed in the last six hours', { unchanged: 6 * HOUR - 1 }, 0, false],
    ['is its last change after six hours', { unchanged: 6 * HOUR }, 6 * HOUR, true],
    ['is its own word', { builtAt: HOUR, unchanged: HOUR }, HOUR, false],
    ['is its own word, however long it is the same', { builtAt: HOUR, unchanged: 9 * HOUR }, HOUR, true],
    ['is its own word, however old', { builtAt: 4 * HOUR, unchanged: 0 }, 4 * HOUR, true],
    ['is never later than now', { builtAt: -HOUR, unchanged: 0 }, 0, false],
  ])('%s', (_name, { builtAt, unchanged }, ageMs, isStill) => {
    const age = {
      builtAt: builtAt === undefined ? undefined : NOW - builtAt,
      unchangedSince: NOW - unchanged,
    };
    expect(shownAt(age, NOW)).toBe(NOW - ageMs);
    expect(standsStill(age, NOW)).toBe(isStill);
  });
});

describe('a page 1 is the same since', () => {
  const none = initialStatus(0).reading;
  const before = { ...none, firstPage: 'as before', unchangedSince: NOW - 5 * HOUR };

  test('the reading that showed it first', () => {
    const page = { firstPage: 'as before', builtAt: undefined };
    expect(ageOf(before, page, NOW).unchangedSince).toBe(NOW - 5 * HOUR);
  });

  test('this reading where it is another one, or since it was built', () => {
    expect(ageOf(before, { firstPage: 'other', builtAt: undefined }, NOW).unchangedSince).toBe(NOW);
    expect(ageOf(before, { firstPage: 'other', builtAt: NOW - HOUR }, NOW).unchangedSince).toBe(NOW - HOUR);
    expect(ageOf(none, { firstPage: 'other', builtAt: undefined }, NOW).unchangedSince).toBe(NOW);
  });
});

test('an older page that changes nothing leaves the list as young as it was', () => {
  const { reading, belief } = initialStatus(0);
  const status = {
    reading: { ...reading, firstPage: 'same', unchangedSince: NOW - 2 * HOUR },
    belief: { ...belief, builtAt: NOW - HOUR },
  };
  const page = { firstPage: 'same', builtAt: NOW - 2 * HOUR };
  expect(dateReading(status, page, NOW)).toEqual({
    firstPage: 'same',
    readAt: NOW - HOUR,
    unchangedSince: NOW - 2 * HOUR,
    standsStill: false,
  });
});

describe('a page 1 is behind what is believed', () => {
  const believed = Array.from(
    { length: 30 },
    (_, index): OngoingAnime => ({
      ...makeAnime(index + 1),
      episode: 8,
      date: `${20 - Math.floor(index / 5)} Nov`,
    }),
  );
  const [newest] = believed as [OngoingAnime];
  const page = (anime: readonly Card<OngoingAnime>[]): OngoingPage => ({
    ...showPage([], 1),
    cards: anime.slice(0, 25),
  });
  const before = { ...newest, episode: 7, date: '13 Nov' as ShortDate };
  const unread = (record: typeof newest | undefined): Card<OngoingAnime> => ({
    card: 1,
    slug: newest.slug,
    faults: [{ field: 'episode', found: 'Movie' }],
    ...(record && { record }),
  });

  test.each<[string, Card<OngoingAnime>[], boolean]>([
    ['not where it is the same', believed, false],
    ['where the newest release is not on it', believed.slice(1), true],
    [
      'where its anime has the episode before',
      [...believed.slice(1, 10), before, ...believed.slice(10)],
      true,
    ],
    [
      'where an episode of the same night is not on it',
      [{ ...newest, episode: 7 }, ...believed.slice(1)],
      true,
    ],
    [
      'not where anything newer is on it',
      [{ ...believed[29]!, episode: 9, date: '21 Nov' }, ...believed.slice(1)],
      false,
    ],
    ['not where a new anime is on it', [{ ...makeAnime(99), date: '20 Nov' }, ...believed.slice(1)], false],
    [
      'where an anime is on it that has left since',
      [...believed.slice(1, 9), { ...makeAnime(99), date: '18 Nov' }],
      true,
    ],
    ['not where another anime has left', believed.toSpliced(3, 1), false],
    ['not where the newest card cannot be read', [unread(undefined), ...believed.slice(1)], false],
    ['not where only its number cannot be read', [unread(newest), ...believed.slice(1)], false],
    ['where it shows an earlier day without a number', [...believed.slice(1, 9), unread(before)], true],
  ])('%s', (_name, cards, expected) => {
    expect(isBehind(page(cards), believed)).toBe(expected);
  });

  test('not before anything is believed', () => expect(isBehind(page(believed), [])).toBe(false));
});
