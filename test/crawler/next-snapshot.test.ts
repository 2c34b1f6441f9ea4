import { describe, expect, test } from 'vitest';
import { diffOngoing, nextSnapshot } from '../../src/crawler/next-snapshot.ts';
import type { Listing, OngoingAnime, Snapshot } from '../../src/domain/listing.ts';
import { makeAnime } from '../support/fake-source.ts';

const DAY = 86_400_000;
const listing = (...ongoing: OngoingAnime[]): Listing => ({ schedule: [], ongoing });
const at = (number: number, more: Partial<OngoingAnime>) => ({ ...makeAnime(number), ...more });
const [ONE, TWO] = [at(1, { episode: 5, day: 'Senin' }), at(2, { episode: 8, day: 'Selasa' })];

const reading = (at: number) => ({ at, after: at - 180_000, silent: new Set<string>() });

/** A snapshot of both anime, whose schedule changed at 10 s and whose list changed at 20 s. */
const snapshot = (more: Partial<Snapshot> = {}): Snapshot => ({
  ...listing(ONE, TWO),
  scheduleChangedAt: 10_000,
  ongoingChangedAt: 20_000,
  epoch: 'e1',
  lastEvent: 7,
  ledger: {},
  ...more,
});

describe('the next snapshot', () => {
  test('is dated at the time of the first crawl, and has no event', () => {
    expect(nextSnapshot(listing(ONE), undefined, reading(5_000))).toMatchObject({
      ...listing(ONE),
      scheduleChangedAt: 5_000,
      ongoingChangedAt: 5_000,
      epoch: '3uw',
      lastEvent: 0,
    });
  });

  test('is the last good one when nothing is different', () => {
    const lastGood = snapshot();
    expect(nextSnapshot(structuredClone(listing(ONE, TWO)), lastGood, reading(90_000))).toBe(lastGood);
  });

  test.each([20_000, 20_999, 0])('is dated a second after the last one at the earliest, at %i ms', (now) => {
    expect(nextSnapshot(listing(ONE), snapshot(), reading(now)).ongoingChangedAt).toBe(21_000);
  });

  test('knows what left the list or the schedule for ninety days', () => {
    const lastGood = snapshot({
      schedule: [{ day: 'Sabtu', animeList: [{ title: 'Kota', slug: 'kota' }] }],
      ledger: { 'judul-1': [], kota: [], lain: [] },
    });
    const first = nextSnapshot(listing(TWO), lastGood, reading(10 * DAY));
    const left = { 'judul-1': { leftAt: 10 * DAY, anime: ONE } };
    const leftSchedule = { kota: { leftAt: 10 * DAY, title: 'Kota', day: 'Sabtu' } };
    const known = { left, leftSchedule, ledger: { 'judul-1': [], kota: [] } };
    expect(first).toMatchObject(known);
    expect(Object.keys(first.ledger).sort()).toEqual(['judul-1', 'judul-2', 'kota']);
    const on = (days: number) => {
      const then = nextSnapshot(listing(at(2, { episode: 9 })), first, reading(days * DAY));
      return nextSnapshot(listing(at(2, { episode: 10 })), then, reading(101 * DAY));
    };
    expect(on(99.9)).toMatchObject(known);
    expect([on(100).left, on(100).leftSchedule]).toEqual([{}, {}]);
    const back = nextSnapshot(
      { ...listing(ONE, TWO), schedule: lastGood.schedule },
      first,
      reading(11 * DAY),
    );
    expect([back.left, back.leftSchedule]).toEqual([left, {}]);
  });
});

describe('the changes between two lists', () => {
  test('are a new episode and another day of one anime', () => {
    const { slug, title } = ONE;
    expect(
      diffOngoing(snapshot(), listing(at(1, { episode: 6, day: 'Rabu' }), TWO), reading(90_000)),
    ).toEqual([
      { type: 'new-episode', slug, title, episode: 6, day: 'Rabu' },
      { type: 'moved', slug, title, from: 'Senin', to: 'Rabu' },
    ]);
  });
});
