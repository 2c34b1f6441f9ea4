import { beforeEach, expect, test } from 'vitest';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import type { Store } from '../../src/store/store.ts';
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

beforeEach(async () => {
  store = await openMemoryStore();
});

const open = (jitter = 0.25) => openSnapshotStore(store, { random: () => jitter });

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
