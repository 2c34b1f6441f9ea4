import type { Keyv } from 'keyv';
import { beforeEach, expect, test } from 'vitest';
import { recordDetails } from '../../src/crawler/details/record-details.ts';
import { refillWhenForgotten } from '../../src/crawler/refill-store.ts';
import { openSnapshotStore, type SnapshotStore, type Store } from '../../src/crawler/snapshot-store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import { writeListing } from '../../src/crawler/write-listing.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { makeAnime, makeAnimePage } from '../support/fake-source.ts';

const KEYS = ['snapshot', 'status'];

let shared: Store & { keyv: Keyv };
let clock: number;
const now = () => (clock += 60_000);

beforeEach(async () => {
  const opened = await openMemoryStore();
  shared = { ...opened, keyv: opened.keyv as Keyv };
  clock = Date.parse('2026-11-20T12:00:00Z');
});

const openProcess = () => openSnapshotStore(shared, () => 0.5);
const read = (store: SnapshotStore) => store.readListing();
const refill = (store: SnapshotStore) => refillWhenForgotten({ store, report: () => {}, now });

/** Writes a list of these episodes of anime 1, 2, … as a good crawl does. */
async function crawl(store: SnapshotStore, ...episodes: number[]): Promise<void> {
  const ongoing = episodes.map((episode, index): OngoingAnime => ({ ...makeAnime(index + 1), episode }));
  const lastGood = await store.readSnapshot();
  await writeListing({ store, now, mirror: 'https://one.example' }, { schedule: [], ongoing }, lastGood);
  await store.writeStatus({ ...(await store.readStatus()), attemptedAt: now(), state: 'ok' });
}

async function save(): Promise<() => Promise<void>> {
  const saved = await Promise.all(KEYS.map(async (key) => [key, await shared.keyv.get(key)] as const));
  return async () => {
    for (const [key, value] of saved) await shared.keyv.set(key, value);
  };
}

async function describe(store: SnapshotStore) {
  const { snapshot, events = [] } = (await read(store)) ?? {};
  return {
    epoch: snapshot?.epoch,
    episodes: snapshot?.ongoing.map(({ episode }) => episode),
    events: events.map((event) => `${event.number} ${event.slug} ${'episode' in event && event.episode}`),
  };
}

test('an empty store gets snapshot, events, status and what was pending back, and numbers go on', async () => {
  const store = await openProcess();
  await crawl(store, 1, 1);
  await crawl(store, 2, 1);
  const before = await describe(store);
  const belief = { claims: { 'list judul-1': { value: 'x', since: 1, readings: 2 } }, seen: {} };
  await store.writeStatus({ ...(await store.readStatus()), belief });
  await shared.keyv.clear();
  expect(await refill(store)).toBe(true);
  expect(await describe(await openProcess())).toEqual(before);
  expect(await (await openProcess()).readStatus()).toMatchObject({ state: 'ok', belief });
  await crawl(store, 2, 2);
  expect((await describe(store)).events).toEqual(['1 judul-1 2', '2 judul-2 2']);
});

test('what the pages of anime said comes back too', async () => {
  const store = await openProcess();
  await crawl(store, 1, 1);
  const { snapshot } = (await read(store))!;
  const page = { ...makeAnimePage(makeAnime(1)), episodes: [{ episode: 1, date: '2026-11-20' }] };
  await store.writeSnapshot(recordDetails(snapshot, [{ slug: 'judul-1', page, readAt: clock }], clock));
  const { details, episodeHistory } = (await read(store))!.snapshot;
  await shared.keyv.clear();
  await refill(store);
  expect((await read(await openProcess()))?.snapshot).toMatchObject({ details, episodeHistory });
  await crawl(store, 2, 1);
  expect((await read(store))?.snapshot).toMatchObject({ details });
});

test('what a process without memory wrote into an emptied store follows what was known', async () => {
  const store = await openProcess();
  await crawl(store, 1, 1);
  await crawl(store, 2, 1);
  const { epoch } = await describe(store);
  await shared.keyv.clear();
  await crawl(await openProcess(), 2, 5);
  await refill(store);
  expect(await describe(store)).toEqual({ epoch, episodes: [2, 5], events: ['1 judul-1 2', '2 judul-2 5'] });
});

test('numbers that were given twice begin a new epoch, and what happened keeps its number', async () => {
  const store = await openProcess();
  await crawl(store, 1, 1);
  const restore = await save();
  await crawl(store, 2, 1);
  const { epoch } = await describe(store);
  await restore();
  await crawl(await openProcess(), 1, 2);
  await refill(store);
  const joined = await describe(store);
  expect(joined).toMatchObject({ episodes: [1, 2], events: ['1 judul-1 2', '2 judul-2 2'] });
  expect(joined.epoch).not.toBe(epoch);
});

test('two processes that know different things end at the same listing and epoch', async () => {
  const [one, other] = [await openProcess(), await openProcess()];
  await crawl(one, 1, 1);
  await read(other);
  const restore = await save();
  await crawl(one, 2, 1);
  await restore();
  await crawl(other, 1, 2);
  for (let round = 0; round < 4; round += 1) {
    await refill(one);
    await refill(other);
  }
  expect(one.known().listing).toEqual(other.known().listing);
  expect(await describe(one)).toMatchObject({ episodes: [1, 2], events: ['1 judul-1 2', '2 judul-2 2'] });
});

test('a process that begins anew waits for nobody: of two beginnings, all end at the older one', async () => {
  const [one, other] = [await openProcess(), await openProcess()];
  await crawl(one, 1);
  await shared.keyv.clear();
  await crawl(other, 2);
  await refill(other);
  const later = other.known().listing?.snapshot.epoch;
  await refill(one);
  await refill(other);
  expect(other.known().listing).toEqual(one.known().listing);
  expect(other.known().listing?.snapshot.epoch).not.toBe(later);
  expect(await describe(other)).toMatchObject({ episodes: [2], events: ['1 judul-1 2'] });
});

test('a store that has everything is not written', async () => {
  const store = await openProcess();
  await crawl(store, 1);
  const other = await openProcess();
  await read(other);
  await crawl(store, 2);
  shared.keyv.set = () => Promise.reject(new Error('written'));
  expect(await refill(store)).toBe(true);
  expect(await refill(other)).toBe(true);
  expect(await describe(other)).toMatchObject({ episodes: [2] });
});
