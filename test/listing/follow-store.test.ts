import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Snapshot } from '../../src/domain/listing.ts';
import type { Happening } from '../../src/domain/report.ts';
import { followStore, type StoreView } from '../../src/listing/follow-store.ts';
import { openSnapshotStore, type SnapshotStore } from '../../src/listing/snapshot-store.ts';
import { openMemoryStore } from '../../src/listing/stores/memory.ts';

const SNAPSHOT: Snapshot = {
  schedule: [],
  ongoing: [],
  scheduleChangedAt: 1_000,
  ongoingChangedAt: 2_000,
  lastEvent: 0,
};
const NOON = Date.parse('2026-11-20T12:00:00Z');

let failure: Error | undefined;
let store: SnapshotStore;
let notice: () => void;
let reports: Happening[];
let view: StoreView;

beforeEach(async () => {
  vi.useFakeTimers({ now: NOON });
  [failure, reports] = [undefined, []];
  const memory = await openMemoryStore();
  const get: typeof memory.keyv.get = async (key) => {
    if (failure) throw failure;
    return memory.keyv.get(key);
  };
  const watch = (onNotice: () => void) => {
    notice = onNotice;
    return () => {};
  };
  store = await openSnapshotStore(
    { ...memory, keyv: { get, set: memory.keyv.set.bind(memory.keyv) }, watch },
    () => 0.5,
  );
  await store.writeSnapshot(SNAPSHOT);
  await store.writeStatus({
    ...(await store.readStatus()),
    state: 'ok',
    attemptedAt: NOON,
    changedAt: 2_000,
  });
  view = await followStore({
    store,
    onSnapshot: async () => {},
    onStatus: async () => {},
    report: (happening) => void reports.push(happening),
    now: Date.now,
  });
});

afterEach(() => {
  view.stop();
  vi.useRealTimers();
});

test('a store that fails is told of once, asked every second, and told of once when it answers again', async () => {
  failure = new Error('gone');
  notice();
  await vi.advanceTimersByTimeAsync(2_500);
  expect(view.health()).toEqual({ state: 'down', since: NOON, reason: 'gone' });
  failure = new Error('still gone');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(view.health()).toEqual({ state: 'down', since: NOON, reason: 'still gone' });
  expect(view.snapshot()).toMatchObject(SNAPSHOT);
  failure = undefined;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(view.health()).toEqual({ state: 'ok', since: NOON + 4_000, reason: null });
  expect(reports).toEqual([
    {
      type: 'store-failed',
      doing: 'reading the snapshot',
      error: expect.objectContaining({ message: 'gone' }),
    },
    { type: 'store-restored', downMs: 4_000 },
  ]);
});

test('a store that came back empty takes nothing away', async () => {
  await store.writeStatus({ ...(await store.readStatus()), state: null, attemptedAt: null, changedAt: null });
  await vi.advanceTimersByTimeAsync(0);
  expect(view.snapshot()).toMatchObject(SNAPSHOT);
  expect(view.status()).toMatchObject({ state: 'ok', attemptedAt: NOON });
});

test('who no longer follows asks no more', async () => {
  failure = new Error('gone');
  notice();
  view.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(vi.getTimerCount()).toBe(0);
});
