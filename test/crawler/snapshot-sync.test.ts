import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openSnapshotStore, type SnapshotStore } from '../../src/crawler/snapshot-store.ts';
import { type SnapshotSync, syncSnapshot } from '../../src/crawler/snapshot-sync.ts';
import type { Store } from '../../src/crawler/store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import type { Snapshot } from '../../src/domain/listing.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { writeStore } from '../support/write-store.ts';

const SNAPSHOT: Snapshot = {
  schedule: [],
  ongoing: [],
  scheduleChangedAt: 1_000,
  ongoingChangedAt: 2_000,
  epoch: 'e1',
  lastEvent: 0,
  ledger: {},
};
const NOON = Date.parse('2026-11-20T12:00:00Z');

let failure: Error | undefined;
let cannotRender: Error | undefined;
let shown: number[];
let store: SnapshotStore;
let notice: () => void;
let memory: Store;
let values: Map<string, string>;
let reports: OperationalEvent[];
let view: SnapshotSync;

beforeEach(async () => {
  vi.useFakeTimers({ now: NOON });
  [failure, cannotRender, reports, shown] = [undefined, undefined, [], []];
  values = new Map();
  memory = await openMemoryStore(values);
  const get: Store['keyv']['get'] = async (key) => {
    if (failure) throw failure;
    return memory.keyv.get(key);
  };
  const watch = (onNotice: () => void) => {
    notice = onNotice;
    return () => {};
  };
  store = await openSnapshotStore({ ...memory, keyv: { get }, watch }, { random: () => 0.5 });
  await writeStore(store, { listing: { snapshot: SNAPSHOT, events: [] } });
  await writeStore(store, {
    status: {
      ...(await store.readStatus()),
      state: 'ok',
      attemptedAt: NOON,
      changedAt: 2_000,
    },
  });
  view = await syncSnapshot({
    store,
    async onSnapshot({ snapshot }) {
      if (cannotRender) throw cannotRender;
      shown.push(snapshot.ongoingChangedAt);
    },
    onStatus: async () => {},
    report: (event) => void reports.push(event),
    now: Date.now,
  });
});

afterEach(() => {
  view.stop();
  vi.useRealTimers();
});

test('a failing store is reported once, read every second, and reported once when it recovers', async () => {
  failure = new Error('gone');
  notice();
  await vi.advanceTimersByTimeAsync(2_500);
  const reason = expect.stringContaining('the log says why');
  expect(view.health()).toEqual({ state: 'down', since: NOON, reason, writable: true, damagedAt: null });
  failure = new Error('still gone');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(view.health()).toMatchObject({ state: 'down', since: NOON });
  expect(view.snapshot()).toMatchObject(SNAPSHOT);
  failure = undefined;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(view.health()).toEqual({
    state: 'ok',
    since: NOON + 4_000,
    reason: null,
    writable: true,
    damagedAt: null,
  });
  expect(reports).toEqual([
    {
      type: 'dependency-down',
      name: 'store',
      error: expect.objectContaining({ message: 'gone' }),
    },
    { type: 'dependency-restored', name: 'store', downMs: 4_000 },
  ]);
});

test('an emptied store is filled again with what was known', async () => {
  values.clear();
  notice();
  await vi.advanceTimersByTimeAsync(0);
  expect(view.snapshot()).toMatchObject(SNAPSHOT);
  expect(view.status()).toMatchObject({ state: 'ok', attemptedAt: NOON });
  expect(await store.readSnapshot()).toMatchObject(SNAPSHOT);
  expect(await store.readStatus()).toMatchObject({ state: 'ok', attemptedAt: NOON });
  expect(reports).toEqual([{ type: 'store-refilled', events: 0 }]);
});

test('while another process has the lease, what was known is served, and written a second later', async () => {
  const lease = await store.lease('refresh');
  values.clear();
  notice();
  await vi.advanceTimersByTimeAsync(0);
  expect(view.snapshot()).toMatchObject(SNAPSHOT);
  expect(await store.readSnapshot()).toBeUndefined();
  await lease?.release();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await store.readSnapshot()).toMatchObject(SNAPSHOT);
});

async function change(changedAt: number, by = store): Promise<void> {
  await writeStore(by, { listing: { snapshot: { ...SNAPSHOT, ongoingChangedAt: changedAt }, events: [] } });
  await writeStore(by, { status: { ...(await by.readStatus()), attemptedAt: NOON + changedAt, changedAt } });
}

test('a snapshot that cannot be rendered is reported and retried, and the store counts as healthy', async () => {
  cannotRender = new Error('no such word');
  await change(5_000);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(view.health()).toMatchObject({ state: 'ok', reason: null });
  expect(view.status()).toMatchObject({ changedAt: 5_000 });
  expect(view.snapshot()).toMatchObject(SNAPSHOT);
  expect(reports).toEqual([{ type: 'render-failed', error: cannotRender }]);
  cannotRender = undefined;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(shown).toEqual([2_000, 5_000]);
  expect(view.snapshot()).toMatchObject({ ongoingChangedAt: 5_000 });
});

test('a snapshot that is written during the first load is not missed', async () => {
  const elsewhere = await openSnapshotStore(memory, { random: () => 0.5 });
  const { readListing } = store;
  store.readListing = async () => {
    store.readListing = readListing;
    const stored = await readListing();
    await change(7_000, elsewhere);
    notice();
    return stored;
  };
  const late: number[] = [];
  const other = await syncSnapshot({
    store,
    onSnapshot: async ({ snapshot }) => void late.push(snapshot.ongoingChangedAt),
    onStatus: async () => {},
    report: () => {},
    now: Date.now,
  });
  await vi.advanceTimersByTimeAsync(0);
  other.stop();
  expect(late).toEqual([2_000, 7_000]);
});

test('a snapshot is adopted although its refresh was killed before it wrote its status', async () => {
  await writeStore(store, { listing: { snapshot: { ...SNAPSHOT, ongoingChangedAt: 9_000 }, events: [] } });
  notice();
  await vi.advanceTimersByTimeAsync(0);
  expect(view.snapshot()).toMatchObject({ ongoingChangedAt: 9_000 });
});

test('the health of a store that cannot be written says why, and seconds later that it can again', async () => {
  let full: Error | undefined;
  const tried: number[] = [];
  const probe = async (bytes: number) => {
    tried.push(bytes);
    if (full) throw full;
  };
  const lease: Store['lease'] = async (name) => {
    const taken = await memory.lease(name);
    return taken && { ...taken, write: (written) => (full ? Promise.reject(full) : taken.write(written)) };
  };
  store = await openSnapshotStore({ ...(await openMemoryStore()), lease, probe }, { random: () => 0.5 });
  const follow = {
    store,
    onSnapshot: async () => {},
    onStatus: async () => {},
    report: () => {},
    now: Date.now,
  };
  const other = await syncSnapshot(follow);
  expect(other.health()).toMatchObject({ state: 'ok', writable: true, reason: null });
  full = Object.assign(new Error('database or disk is full: /srv/data'), { errcode: 13 });
  const status = { ...(await store.readStatus()), reason: 'x'.repeat(100_000) };
  await expect(writeStore(store, { status })).rejects.toThrow();
  const reason = 'there is no room left on the disk';
  expect(other.health()).toMatchObject({ state: 'ok', writable: false, reason });
  full = undefined;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(other.health()).toMatchObject({ state: 'ok', writable: true, reason: null });
  // What is small may fit where what has failed does not.
  expect(tried[0]).toBeGreaterThan(100_000);
  other.stop();
});

test('a stopped sync reads the store no more', async () => {
  failure = new Error('gone');
  notice();
  view.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(vi.getTimerCount()).toBe(0);
});
