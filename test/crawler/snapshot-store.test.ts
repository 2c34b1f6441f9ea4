import { beforeEach, expect, test } from 'vitest';
import { openSnapshotStore, type Store } from '../../src/crawler/snapshot-store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import type { Snapshot } from '../../src/domain/listing.ts';

const SNAPSHOT: Snapshot = {
  schedule: [{ day: 'Senin', animeList: [{ title: 'Naga ∞', slug: 'naga-sub-indo' }] }],
  ongoing: [],
  scheduleChangedAt: 1_000,
  ongoingChangedAt: 2_000,
  epoch: 'e1',
  lastEvent: 0,
};

let store: Store;

beforeEach(async () => {
  store = await openMemoryStore();
});

const open = (jitter = 0.25) => openSnapshotStore(store, () => jitter);

test('a snapshot is kept when the store is opened again', async () => {
  expect(await (await open()).readSnapshot()).toBeUndefined();
  await (await open()).writeSnapshot(SNAPSHOT);
  expect(await (await open()).readSnapshot()).toMatchObject(SNAPSHOT);
});

test('a snapshot of another version is ignored', async () => {
  const snapshots = await open();
  await snapshots.writeSnapshot(SNAPSHOT);
  const stored = await store.keyv.get<Snapshot & { form: number }>('snapshot');
  await store.keyv.set('snapshot', { ...stored, form: 0 });
  expect(await snapshots.readSnapshot()).toBeUndefined();
  await store.keyv.set('snapshot', SNAPSHOT);
  expect(await snapshots.readSnapshot()).toBeUndefined();
});

test('of version 0.1, the snapshot is read, without its events', async () => {
  const { epoch: _, lastEvent: __, ...former } = SNAPSHOT;
  await store.keyv.set('snapshot', { ...former, form: 1 });
  expect(await (await open()).readListing()).toEqual({
    snapshot: { ...former, epoch: '0', lastEvent: 0 },
    events: [],
  });
});

test('the jitter is drawn once, when the store is first opened', async () => {
  expect((await (await open(0.25)).readStatus()).jitter).toBe(0.25);
  expect((await (await open(0.75)).readStatus()).jitter).toBe(0.25);
});

test('opening a store again does not change its status', async () => {
  const snapshots = await open();
  const status = { ...(await snapshots.readStatus()), state: 'ok' as const, attemptedAt: 1, refreshedAt: 2 };
  await snapshots.writeStatus(status);
  expect(await (await open(0.75)).readStatus()).toEqual(status);
});

test('before the first attempt the state of the source is null', async () => {
  const status = await (await open()).readStatus();
  expect(status).toMatchObject({ state: null, attemptedAt: null, refreshedAt: null, mirror: null });
});

test('a watcher is called for writes of this process until it stops', async () => {
  const snapshots = await open();
  let heard = 0;
  const unwatch = snapshots.watch(() => {
    heard += 1;
  });
  await snapshots.writeStatus(await snapshots.readStatus());
  expect(heard).toBe(1);
  unwatch();
  await snapshots.writeStatus(await snapshots.readStatus());
  expect(heard).toBe(1);
});

test('a watcher is called for notifications of the store until it stops', async () => {
  const watching = new Set<() => void>();
  const watch = (onNotice: () => void) => {
    watching.add(onNotice);
    return () => watching.delete(onNotice);
  };
  const snapshots = await openSnapshotStore({ ...store, watch }, () => 0);
  let heard = 0;
  const unwatch = snapshots.watch(() => {
    heard += 1;
  });
  for (const notice of watching) notice();
  expect(heard).toBe(1);
  unwatch();
  expect(watching.size).toBe(0);
});
