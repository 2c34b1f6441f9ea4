import { describe, expect, test } from 'vitest';
import { checkConfirmed, noteShrinkage, type Shrinkage } from '../../../src/crawler/guard/shrink-guard.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import { makeAnime } from '../../support/fake-source.ts';
import { listingOf } from '../../support/read-pages.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1_000 * DAY;

const anime = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, index) => makeAnime(index + 1)).map((one) => ({
    ...one,
    slug: prefix + one.slug,
  }));
const goodOne = (ongoing: OngoingAnime[], scheduled = ongoing, confirmedAt = NOW - HOUR) => ({
  listing: listingOf(ongoing, scheduled),
  confirmedAt,
});

describe('a listing has shrunk', () => {
  const reasonOf = (ongoing: OngoingAnime[], before: OngoingAnime[], confirmedAt?: number) =>
    noteShrinkage(listingOf(ongoing), goodOne(before, before, confirmedAt), null, NOW)?.reason;

  test('when fewer than half of the entries are left in one of its parts', () => {
    expect(reasonOf(anime(20), anime(40))).toBeUndefined();
    expect(reasonOf(anime(19), anime(40))).toBe(
      'the ongoing list has 19 entries, fewer than half of the last good 40',
    );
    const known = goodOne(anime(40));
    expect(noteShrinkage(listingOf(anime(40), anime(20)), known, null, NOW)).toBeNull();
    expect(noteShrinkage(listingOf(anime(40), anime(19)), known, null, NOW)?.reason).toBe(
      'the schedule has 19 entries, fewer than half of the last good 40',
    );
  });

  test('when fewer than half of the entries are the same, within a week', () => {
    const exchanged = (kept: number) => [...anime(kept), ...anime(40 - kept, 'x-')];
    expect(reasonOf(exchanged(20), anime(40))).toBeUndefined();
    const reason = 'the ongoing list holds 19 of the last good 40 entries, fewer than half';
    expect(reasonOf(exchanged(19), anime(40))).toBe(reason);
    expect(reasonOf(exchanged(19), anime(40), NOW - 7 * DAY)).toBe(reason);
    expect(reasonOf(exchanged(19), anime(40), NOW - 7 * DAY - 1)).toBeUndefined();
    expect(reasonOf(anime(19), anime(40), NOW - 70 * DAY)).toContain('has 19 entries');
  });

  test('not when there is no last good one', () => {
    expect(noteShrinkage(listingOf(anime(1)), undefined, null, NOW)).toBeNull();
  });
});

describe('a shrinkage', () => {
  const before = goodOne(anime(400));
  const note = (ongoing: OngoingAnime[], noted: Shrinkage | null = null, now = NOW) =>
    noteShrinkage(listingOf(ongoing), before, noted, now)!;

  test('counts the crawls that agree, from the first one', () => {
    const first = note(anime(20));
    expect(first).toMatchObject({ firstSeenAt: NOW, crawls: 1 });
    expect(note(anime(20), first, NOW + HOUR)).toEqual({ ...first, firstSeenAt: NOW, crawls: 2 });
  });

  test('begins anew when fewer than three quarters of all anime are in both crawls', () => {
    const first = note(anime(16));
    expect(note([...anime(15), ...anime(4, 'x-')], first, NOW + HOUR)).toMatchObject({ crawls: 2 });
    expect(note([...anime(15), ...anime(5, 'x-')], first, NOW + HOUR)).toMatchObject({
      crawls: 1,
      firstSeenAt: NOW + HOUR,
    });
    expect(note(anime(12), first, NOW + HOUR)).toMatchObject({ crawls: 2 });
    expect(note(anime(11), first, NOW + HOUR)).toMatchObject({ crawls: 1 });
  });

  test('has a first time that is not in the future', () => {
    const first = note(anime(20), null, NOW + DAY);
    expect(note(anime(20), first)).toMatchObject({ firstSeenAt: NOW, crawls: 2 });
  });

  test('agrees with none that was stored without its anime', () => {
    const { anime: _, ...old } = note(anime(20));
    expect(note(anime(20), old as Shrinkage)).toMatchObject({ crawls: 1 });
  });

  test('has the anime of both parts, each once, as short hashes', () => {
    const listing = listingOf(anime(10), [...anime(10), ...anime(2, 'x-')]);
    const hashes = noteShrinkage(listing, before, null, NOW)?.anime;
    expect(hashes).toHaveLength(12);
    expect(new Set(hashes).size).toBe(12);
    expect(hashes?.[0]).toBe('9sC0Q3M8');
    expect(hashes?.every((hash) => /^[\w-]{8}$/u.test(hash))).toBe(true);
  });
});

test('a shrinkage is refused until three crawls over six hours agree', () => {
  const seen = (crawls: number, hours: number) => ({
    reason: 'the list is short',
    anime: [],
    firstSeenAt: NOW - hours * HOUR,
    crawls,
  });
  expect(() => checkConfirmed(seen(3, 6), NOW)).not.toThrow();
  const message =
    'the list is short; it is accepted once three crawls over six hours agree, or with npm run refresh -- --force';
  for (const shrinkage of [seen(2, 6), seen(3, 5.999)])
    expect(() => checkConfirmed(shrinkage, NOW)).toThrow(
      expect.objectContaining({ code: 'source-changed', message }),
    );
});
