import { describe, expect, test } from 'vitest';
import { historyOf } from '../../../src/belief/releases.ts';
import { findDue, type ReadingMemory } from '../../../src/crawler/details/due-details.ts';
import {
  checkOwnPage,
  type PageReading,
  recordDetails,
} from '../../../src/crawler/details/record-details.ts';
import { nextSnapshot } from '../../../src/crawler/next-snapshot.ts';
import type { KnownDetails } from '../../../src/domain/details.ts';
import type { EpisodeRelease } from '../../../src/domain/episode-history.ts';
import { DAYS, type OngoingAnime } from '../../../src/domain/listing.ts';
import { changedAt, listingChangedAt, type Snapshot } from '../../../src/domain/snapshot.ts';
import type { AnimePage } from '../../../src/source/source.ts';
import { makeAnime, makeAnimePage } from '../../support/fake-source.ts';
import { ledgerOf } from '../../support/ledger.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A Friday, 21:00 at the source. */
const NOW = Date.parse('2026-11-20T14:00:00Z');
const ANIME: OngoingAnime = { ...makeAnime(1), episode: 7, date: '20 Nov' };
const { slug } = ANIME;

function snapshotOf(ongoing: OngoingAnime[], more: Partial<Snapshot> = {}): Snapshot {
  const schedule = DAYS.map((day) => ({ day, animeList: [] }));
  const at = { scheduleChangedAt: NOW - DAY, ongoingChangedAt: NOW - DAY };
  return { schedule, ongoing, ...at, epoch: 'e1', lastEvent: 0, ledger: {}, ...more };
}

const known = (more: Partial<KnownDetails> = {}): Record<string, KnownDetails> => ({
  [slug]: { details: makeAnimePage().details, readAt: NOW - HOUR, episode: 7, stale: 0, ...more },
});

describe('the page of an anime is due', () => {
  const memory: ReadingMemory = { failures: new Map(), rereads: [] };
  const isDue = (details: Record<string, KnownDetails>, now = NOW, more: Partial<ReadingMemory> = {}) =>
    findDue(snapshotOf([ANIME], { details }), { ...memory, ...more }, now).includes(slug);

  test('when it was never read', () => {
    expect(isDue({})).toBe(true);
  });

  test('when the list shows another episode than at the last reading', () => {
    expect(isDue(known())).toBe(false);
    expect(isDue(known({ episode: 6 }))).toBe(true);
  });

  test('again a little later, three times at most, while it still shows the time before', () => {
    const readAt = NOW;
    expect(isDue(known({ readAt, stale: 1 }), NOW + 7 * MINUTE)).toBe(false);
    expect(isDue(known({ readAt, stale: 1 }), NOW + 8 * MINUTE)).toBe(true);
    expect(isDue(known({ readAt, stale: 3 }), NOW + 2 * HOUR)).toBe(true);
    expect(isDue(known({ readAt, stale: 4 }), NOW + 6 * DAY)).toBe(false);
  });

  test('once a week, twenty minutes after any other page', () => {
    const readAt = NOW - 7 * DAY;
    expect(isDue(known({ readAt: readAt + 1 }))).toBe(false);
    expect(isDue(known({ readAt }))).toBe(true);
    const other = { ...known()[slug]!, readAt: NOW - 19 * MINUTE };
    expect(isDue({ ...known({ readAt }), other })).toBe(false);
    expect(isDue({ ...known({ readAt }), other }, NOW + MINUTE)).toBe(true);
    const failures = new Map([['other', { count: 1, at: NOW - 19 * MINUTE }]]);
    expect(isDue(known({ readAt }), NOW, { failures })).toBe(false);
  });

  test('not soon after it could not be read', () => {
    const failures = (count: number) => ({ failures: new Map([[slug, { count, at: NOW }]]) });
    expect(isDue({}, NOW + 59 * MINUTE, failures(1))).toBe(false);
    expect(isDue({}, NOW + HOUR, failures(1))).toBe(true);
    expect(isDue({}, NOW + 23 * HOUR, failures(20))).toBe(false);
    expect(isDue({}, NOW + DAY, failures(20))).toBe(true);
  });

  test('not more than a hundred times a day, but for pages that were never read', () => {
    const rereads = Array.from({ length: 100 }, () => NOW - HOUR);
    expect(isDue(known({ episode: 6 }), NOW, { rereads })).toBe(false);
    expect(isDue({}, NOW, { rereads })).toBe(true);
  });

  test('first for a new episode, then for what was never read, and alone for the week', () => {
    const list = [1, 2, 3].map((number) => ({ ...makeAnime(number), episode: 7 }));
    const [one, two] = list.map((anime) => anime.slug) as [string, string];
    const details = {
      [one]: { ...known()[slug]!, readAt: NOW - 8 * DAY },
      [two]: { ...known()[slug]!, episode: 6 },
    };
    expect(findDue(snapshotOf(list, { details }), memory, NOW)).toEqual([two, 'judul-3']);
  });
});

describe('what a page says', () => {
  const readAt = (at: number) => ({ at, after: at - HOUR, silent: new Set<string>() });
  const page = (more: Partial<AnimePage> = {}): AnimePage => ({
    ...makeAnimePage(ANIME),
    publishedAt: NOW - HOUR,
    episodes: [7, 6, 5].map((episode, week) => ({
      episode,
      date: new Date(NOW - week * 7 * DAY).toISOString().slice(0, 10),
    })),
    ...more,
  });
  const record = (read: AnimePage, history: EpisodeRelease[] = [], before = snapshotOf([ANIME])) => {
    const reading: PageReading = { slug, page: read, readAt: NOW };
    const next = recordDetails(
      { ...before, ledger: { ...before.ledger, ...ledgerOf({ [slug]: history }) } },
      [reading],
      NOW,
    );
    return { next, episodes: historyOf(next.ledger)[slug]!, known: next.details![slug]! };
  };

  test('adds its days to what was seen, and its time to the newest episode', () => {
    const { episodes, known: details } = record(page(), [{ episode: 7, seenAt: NOW }]);
    expect(episodes).toEqual([
      { episode: 7, seenAt: NOW, date: '2026-11-20', releasedAt: NOW - HOUR },
      { episode: 6, date: '2026-11-13' },
      { episode: 5, date: '2026-11-06' },
    ]);
    expect(details).toMatchObject({ readAt: NOW, episode: 7, stale: 0 });
  });

  test.each([
    ['of the episode before', { publishedAt: NOW - 7 * DAY }],
    ['later than now', { publishedAt: NOW + HOUR }],
    ['of a completed anime', { details: { ...makeAnimePage().details, status: 'completed' as const } }],
    ['that cannot be read', { publishedAt: null }],
  ])('has no time for the newest episode where its time is one %s', (_name, more) => {
    expect(record(page(more)).episodes[0]).toEqual({ episode: 7, date: '2026-11-20' });
  });

  test('is read again where it still shows the episode before', () => {
    const old = page({ publishedAt: NOW - 7 * DAY, episodes: page().episodes.slice(1) });
    const first = record(old);
    expect(first.known.stale).toBe(1);
    expect(first.episodes[0]).toMatchObject({ episode: 6, releasedAt: NOW - 7 * DAY });
    expect(record(old, [], first.next).known.stale).toBe(2);
  });

  test('is bounded: thirteen episodes, none of the day after tomorrow', () => {
    const episodes = Array.from({ length: 50 }, (_, index) => ({ episode: index + 1, date: '2026-11-20' }));
    const read = page({ episodes: [...episodes, { episode: 51, date: '2026-11-22' }] });
    const shown = record(read, [], snapshotOf([{ ...ANIME, episode: 50 }])).episodes;
    expect(shown).toHaveLength(13);
    expect(shown[0]?.episode).toBe(50);
  });

  test('changes the snapshot and not the listing, and nothing when it is as before', () => {
    const before = snapshotOf([ANIME]);
    const { next } = record(page(), [], before);
    expect(listingChangedAt(next)).toBe(listingChangedAt(before));
    expect(changedAt(next)).toBeGreaterThan(changedAt(before));
    const again = recordDetails(next, [{ slug, page: page(), readAt: NOW }], NOW + DAY);
    expect(changedAt(again)).toBe(changedAt(next));
  });

  test('outlives a crawl, and the anime by ninety days', () => {
    const { next } = record(page());
    const empty = { schedule: next.schedule, ongoing: [] };
    const left = nextSnapshot(empty, next, readAt(NOW + DAY));
    expect(left.details).toEqual(next.details);
    const other = { ...empty, ongoing: [makeAnime(2)] };
    const later = nextSnapshot(other, left, readAt(NOW + 92 * DAY));
    expect(nextSnapshot(empty, later, readAt(NOW + 93 * DAY)).details).toEqual({});
  });

  test('is refused where the page shows another anime', () => {
    const check = (title: string) => () =>
      checkOwnPage({ slug, page: makeAnimePage({ title }) }, snapshotOf([ANIME]));
    for (const title of ['Judul 1', 'JUDUL 1 Subtitle Indonesia', 'Judul 1 Sub Indo'])
      expect(check(title)).not.toThrow();
    for (const title of ['Judul 2', 'Judul 1 Season 2', '']) expect(check(title)).toThrow(/another anime/u);
  });
});
