import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import { syncSnapshot } from '../../src/store/snapshot-sync.ts';
import { makeEvents, writeEvents } from '../support/webhook-store.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');

/** A process that follows a store in memory, which another one writes to and which may be down. */
async function openTwo() {
  const database = new DatabaseSync(':memory:');
  const shared = await openMemoryStore(database);
  const clock = { now: 0, isDown: false };
  const monotonic = () => clock.now;
  const values = {
    async get<Value>(key: string) {
      if (clock.isDown) throw new Error('the store is down');
      return shared.values.get<Value>(key);
    },
  };
  const own = { ...shared, values };
  const store = await openSnapshotStore(own, { random: () => 0, clock: monotonic });
  const other = await openSnapshotStore(shared, { random: () => 0, clock: monotonic });
  const sync = syncSnapshot({ store, onLoaded() {}, report() {}, now: () => NOON, clock: monotonic });
  onTestFinished(sync.stop);
  return { store, other, sync, clock, database };
}

test('a reading is certain of what another process has written before it', async () => {
  const { store, other, sync } = await openTwo();
  await writeEvents(other, makeEvents(1, 3, NOON));
  expect(await sync.read()).toBe(true);
  expect(store.known().listing?.events).toHaveLength(3);
});

test('a reading is certain again five seconds after an outage, in which an older copy may have been put back', async () => {
  const { sync, clock } = await openTwo();
  clock.isDown = true;
  expect(await sync.read()).toBe(false);
  clock.isDown = false;
  clock.now = 4_999;
  expect(await sync.read()).toBe(false);
  clock.now = 5_000;
  expect(await sync.read()).toBe(true);
});

test('a reading is certain again five seconds after a loss, in which others write back what only they know', async () => {
  const { store, other, sync, clock, database } = await openTwo();
  await writeEvents(other, makeEvents(1, 3, NOON));
  await sync.read();
  await writeEvents(other, makeEvents(1, 5, NOON));
  database.exec('DELETE FROM keyv');
  expect(await sync.read()).toBe(false);
  expect(await sync.read()).toBe(false);
  await other.refill();
  clock.now = 5_000;
  expect(await sync.read()).toBe(true);
  expect(store.known().listing?.events).toHaveLength(5);
});
