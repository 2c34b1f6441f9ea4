import { expect, test } from 'vitest';
import { createBatchReader } from '../../../src/crawler/details/details-reader.ts';
import { nextListing } from '../../../src/crawler/next-listing.ts';
import { openSnapshotStore } from '../../../src/crawler/snapshot-store.ts';
import { openMemoryStore } from '../../../src/crawler/stores/memory.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { historyOf } from '../../../src/domain/ledger.ts';
import { DAYS, type OngoingAnime } from '../../../src/domain/listing.ts';
import { shortDate, sourceDate } from '../../../src/domain/source-date.ts';
import type { AnimePage } from '../../../src/source/source.ts';
import { createRandom } from '../../support/create-random.ts';
import { createFakeSource, makeAnimePage } from '../../support/fake-source.ts';
import { MORE } from '../../support/more-runs.ts';
import { writeStore } from '../../support/write-store.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WEEK = 7 * DAY;
const BEGIN = Date.parse('2026-10-01T00:00:00Z');
const SHOWS = 40;

/** How the page of an anime fails. Each is shown for some days, to all anime or to every third. */
const FAULTS: ((page: AnimePage) => AnimePage)[] = [
  () => {
    throw new AppError('source-down', 'the source answered 500');
  },
  () => {
    throw new AppError('source-blocked', 'refused', { retryAfterMs: 20 * MINUTE });
  },
  () => {
    throw new AppError('source-moved', 'the source answered 404');
  },
  (page) => ({ ...page, titles: ['Anime lain'] }),
  (page) => ({ ...page, publishedAt: null, episodes: [] }),
  (page) => ({ ...page, episodes: page.episodes.slice(1), publishedAt: (page.publishedAt ?? 0) - WEEK }),
];

test.each(Array.from({ length: MORE }, (_, seed) => seed + 1))(
  'a month in which the pages of anime fail in every way: the listing does not notice, no value is wrong, and all is known in the end (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    let now = BEGIN;
    const store = await openSnapshotStore(await openMemoryStore(), { random: () => 0.5 });
    const source = createFakeSource(SHOWS);
    const hours = source.anime.map(() => Math.floor(random() * WEEK));
    const releaseOf = (index: number, episode: number) =>
      Math.floor((BEGIN + (hours[index] ?? 0) + (episode - 6) * WEEK) / 1_000) * 1_000;
    const newest = (index: number) => 5 + Math.floor((now - BEGIN - (hours[index] ?? 0)) / WEEK + 1);
    let fault: ((page: AnimePage) => AnimePage) | undefined;
    let isPartial = false;
    let requests = 0;
    source.showAnime = (slug) => {
      requests += 1;
      const index = Number(slug.slice('judul-'.length)) - 1;
      const episodes = Array.from({ length: newest(index) }, (_, back) => newest(index) - back).map(
        (episode) => ({
          episode,
          date: sourceDate(releaseOf(index, episode)),
        }),
      );
      const page = { ...makeAnimePage({ title: `Judul ${index + 1}` }), episodes };
      const whole = { ...page, publishedAt: releaseOf(index, newest(index)) };
      return fault && (!isPartial || index % 3 === 0) ? fault(whole) : whole;
    };
    const readBatch = createBatchReader({
      ...{ store, source: async () => source, isRefreshing: () => false },
      ...{ report: () => {}, now: () => now },
    });
    const { signal } = new AbortController();
    const crawl = async () => {
      const ongoing = source.anime.map((anime, index): OngoingAnime => {
        const episode = newest(index);
        return { ...anime, episode, date: shortDate(releaseOf(index, episode)) };
      });
      const listing = { schedule: DAYS.map((day) => ({ day, animeList: [] })), ongoing };
      const next = nextListing(listing, store.known().listing, { at: now }, source.mirrors[0]!).listing;
      const status = { ...(await store.readStatus()), attemptedAt: now, state: 'ok' as const };
      await writeStore(store, { listing: next, status });
      return next.snapshot.ongoing;
    };

    let requestsOfDay = 0;
    for (const end = BEGIN + 30 * DAY; now < end; now += 30 * MINUTE) {
      if ((now - BEGIN) % DAY === 0) {
        if (now > BEGIN + DAY) expect(requests - requestsOfDay).toBeLessThan(140);
        requestsOfDay = requests;
        const isCalm = now > end - 3 * DAY || random() < 0.3;
        fault = isCalm ? undefined : FAULTS[Math.floor(random() * FAULTS.length)];
        isPartial = random() < 0.5;
      }
      const ongoing = await crawl();
      await store.readListing();
      await readBatch(signal);
      const { snapshot } = store.known().listing!;
      expect(snapshot.ongoing).toEqual(ongoing);
      expect((await store.readStatus()).state).toBe('ok');
    }
    const { details, ledger } = store.known().listing!.snapshot;
    const wrong = Object.entries(historyOf(ledger)).flatMap(([slug, releases]) => {
      const index = Number(slug.slice('judul-'.length)) - 1;
      return releases.filter(
        ({ episode, releasedAt, date }) =>
          (releasedAt ?? releaseOf(index, episode)) !== releaseOf(index, episode) ||
          (date ?? sourceDate(releaseOf(index, episode))) !== sourceDate(releaseOf(index, episode)),
      );
    });
    expect(wrong).toEqual([]);
    expect(Object.keys(details ?? {})).toHaveLength(SHOWS);
    expect((await store.readStatus()).detailsFailed).toBe(0);
  },
);
