import { describe, expect, test } from 'vitest';
import { diffOngoing, nextSnapshot } from '../../src/crawler/next-snapshot.ts';
import type { Listing, OngoingAnime, Snapshot } from '../../src/domain/listing.ts';
import { makeAnime } from '../support/fake-source.ts';

const DAY = 86_400_000;
const listing = (...ongoing: OngoingAnime[]): Listing => ({ schedule: [], ongoing });
const at = (number: number, more: Partial<OngoingAnime>) => ({ ...makeAnime(number), ...more });
const [ONE, TWO] = [at(1, { episode: 5, day: 'Senin' }), at(2, { episode: 8, day: 'Selasa' })];

/** A snapshot of both anime, whose schedule changed at 10 s and whose list changed at 20 s. */
const snapshot = (more: Partial<Snapshot> = {}): Snapshot => ({
  ...listing(ONE, TWO),
  scheduleChangedAt: 10_000,
  ongoingChangedAt: 20_000,
  epoch: 'e1',
  lastEvent: 7,
  ...more,
});

describe('the next snapshot', () => {
  test('is dated at the time of the first crawl, and has no event', () => {
    expect(nextSnapshot(listing(ONE), undefined, 5_000)).toEqual({
      ...listing(ONE),
      scheduleChangedAt: 5_000,
      ongoingChangedAt: 5_000,
      epoch: '3uw',
      lastEvent: 0,
    });
  });

  test('is the last good one when nothing is different', () => {
    const lastGood = snapshot();
    expect(nextSnapshot(structuredClone(listing(ONE, TWO)), lastGood, 90_000)).toBe(lastGood);
  });

  test.each([20_000, 20_999, 0])('is dated a second after the last one at the earliest, at %i ms', (now) => {
    expect(nextSnapshot(listing(ONE), snapshot(), now).ongoingChangedAt).toBe(21_000);
  });

  test('knows what left the list or the schedule for ninety days', () => {
    const lastGood = snapshot({
      schedule: [{ day: 'Sabtu', animeList: [{ title: 'Kota', slug: 'kota' }] }],
      episodeHistory: { 'judul-1': [], kota: [], lain: [] },
    });
    const first = nextSnapshot(listing(TWO), lastGood, 10 * DAY);
    const left = { 'judul-1': { leftAt: 10 * DAY, anime: ONE } };
    const leftSchedule = { kota: { leftAt: 10 * DAY, title: 'Kota', day: 'Sabtu' } };
    const known = { left, leftSchedule, episodeHistory: { 'judul-1': [], kota: [] } };
    expect(first).toMatchObject(known);
    expect(Object.keys(first.episodeHistory ?? {})).toEqual(['judul-1', 'kota']);
    const on = (days: number) => nextSnapshot(listing(at(2, { episode: 9 })), first, days * DAY);
    expect(on(99.9)).toMatchObject(known);
    expect([on(100).left, on(100).leftSchedule]).toEqual([{}, {}]);
    const back = nextSnapshot({ ...listing(ONE, TWO), schedule: lastGood.schedule }, first, 11 * DAY);
    expect([back.left, back.leftSchedule]).toEqual([left, {}]);
  });

  test('forgets the highest episodes of the anime that left first when there are more than 2,000', () => {
    const gone = Array.from({ length: 2_000 }, (_, index): [string, number] => [`gone-${index}`, 1]);
    const lastGood = snapshot({ highestEpisodes: [['judul-1', 5], ...gone] });
    const { highestEpisodes = [] } = nextSnapshot(listing(TWO), lastGood, 90_000);
    expect(highestEpisodes).toHaveLength(2_000);
    expect([highestEpisodes[0], highestEpisodes.at(-1)]).toEqual([
      ['gone-1', 1],
      ['judul-1', 5],
    ]);
  });
});

describe('the changes between two lists', () => {
  test('are a new episode and another day of one anime', () => {
    const { slug, title } = ONE;
    expect(
      diffOngoing(snapshot(), listing(at(1, { episode: 6, day: 'Rabu' }), TWO), { now: 90_000 }),
    ).toEqual([
      { type: 'new-episode', slug, title, episode: 6, day: 'Rabu' },
      { type: 'moved', slug, title, from: 'Senin', to: 'Rabu' },
    ]);
  });
});
