import { beforeEach, expect, test } from 'vitest';
import { openSnapshotStore } from '../../src/crawler/snapshot-store.ts';
import type { Store } from '../../src/crawler/store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import type { Snapshot } from '../../src/domain/listing.ts';
import { writeStore, writeValues } from '../support/write-store.ts';

const SNAPSHOT: Snapshot = {
  schedule: [{ day: 'Senin', animeList: [{ title: 'Naga ∞', slug: 'naga-sub-indo' }] }],
  ongoing: [],
  scheduleChangedAt: 1_000,
  ongoingChangedAt: 2_000,
  epoch: 'e1',
  lastEvent: 0,
  ledger: {},
};

let store: Store;
let values: Map<string, string>;

beforeEach(async () => {
  values = new Map();
  store = await openMemoryStore(values);
});

const open = (jitter = 0.25) => openSnapshotStore(store, { random: () => jitter });

test('a listing is kept when the store is opened again', async () => {
  expect(await (await open()).readListing()).toBeUndefined();
  await writeStore(await open(), { listing: { snapshot: SNAPSHOT, events: [] } });
  expect(await (await open()).readSnapshot()).toEqual(SNAPSHOT);
});

test('a store of a later version is refused, by its name and both versions, and nothing in it is changed', async () => {
  await writeStore(await open(), { listing: { snapshot: SNAPSHOT, events: [] } });
  await writeValues(store, { listing: { version: 99 }, status: undefined });
  const before = new Map(values);
  const opening = openSnapshotStore(store, { random: () => 0, place: 'sqlite:/data/cache.sqlite' });
  await expect(opening).rejects.toThrow(/sqlite:\/data\/cache\.sqlite has version 99, .* up to 2:/u);
  expect(values).toEqual(before);
});

test('a process that has the store open neither reads nor replaces what a later version writes', async () => {
  const opened = await open();
  await writeStore(opened, { listing: { snapshot: SNAPSHOT, events: [] } });
  await writeValues(store, { listing: { version: 99 } });
  await expect(opened.readListing()).rejects.toThrow('has version 99');
  expect(opened.known().listing?.snapshot).toEqual(SNAPSHOT);
});

test('the jitter is drawn once, when the store is first opened', async () => {
  expect((await (await open(0.25)).readStatus()).jitter).toBe(0.25);
  expect((await (await open(0.75)).readStatus()).jitter).toBe(0.25);
});
