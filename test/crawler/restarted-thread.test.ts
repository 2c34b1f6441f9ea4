import { expect, test } from 'vitest';
import { openCalendar } from '../../src/crawler/broadcasts/calendar-reader.ts';
import { openNoticeLog } from '../../src/outbox/notices.ts';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import type { Memory } from '../../src/store/memory.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import { createMemory } from '../support/thread-memory.ts';
import { makeEvents, writeEvents } from '../support/webhook-store.ts';
import { writeValues } from '../support/write-store.ts';

/*
 * What a thread that is started again knows of the run before. Its store is in memory, so each run begins with an empty one.
 */

const NOON = Date.parse('2026-11-20T12:00:00Z');

async function openRun(memory: Memory, jitter = 0.5) {
  return openSnapshotStore(await openMemoryStore(), { random: () => jitter, memory });
}

test('the listing, the status and the positions are known before the store is read, and fill it', async () => {
  const memory = createMemory();
  const before = await openRun(memory, 0.25);
  await writeEvents(before, makeEvents(1, 3, NOON));
  before.notePositions({ revision: 7, receivers: { one: { position: 'x' } } });
  const { listing, status, positions } = before.known();
  expect(status.jitter).toBe(0.25);

  const again = await openRun(memory);
  expect(again.known()).toEqual({ listing, status, positions });
  expect(await again.readListing()).toBeUndefined();
  expect((await again.readStatus()).jitter).toBe(0.25);
  expect(await again.refill()).toBe(false);
  expect(await again.readListing()).toMatchObject(listing!);
  expect(await again.values.get('outbox')).toEqual(positions);
  expect(await again.refill()).toBe(true);
});

test('a store that cannot be read is opened by a thread that is started again, and is an error before', async () => {
  const memory = createMemory();
  await writeEvents(await openRun(memory), makeEvents(1, 3, NOON));
  const get = () => Promise.reject(new Error('the store is down'));
  const down = { ...(await openMemoryStore()), values: { get } };
  await expect(openSnapshotStore(down, { random: () => 0 })).rejects.toThrow('the store is down');
  const store = await openSnapshotStore(down, { random: () => 0, memory });
  expect(store.known().listing?.events).toHaveLength(3);
  await expect(store.refill()).rejects.toThrow('the store is down');
});

test('a newer listing in the store is taken', async () => {
  const memory = createMemory();
  await writeEvents(await openRun(memory), makeEvents(1, 3, NOON));
  const driver = await openMemoryStore();
  const other = await openSnapshotStore(driver, { random: () => 0 });
  await writeEvents(other, makeEvents(1, 5, NOON));
  const again = await openSnapshotStore(driver, { random: () => 0, memory });
  expect(await again.refill()).toBe(true);
  expect(again.known().listing?.events).toHaveLength(5);
});

test('a notice that the store has lost is written again', async () => {
  const memory = createMemory();
  const data = { state: 'down', since: null, reason: null };
  await openNoticeLog(await openRun(memory)).append({ type: 'source.down', data }, NOON);
  const store = await openRun(memory);
  await openNoticeLog(store).sync();
  expect(await store.values.get('notices:log')).toEqual({
    notices: [{ type: 'source.down', data, at: NOON }],
  });
});

test('the calendar is what was read last', async () => {
  const url = 'https://calendar.example';
  const memory = createMemory();
  const open = async (values: Record<string, unknown>) => {
    const driver = await openMemoryStore();
    await writeValues(driver, values);
    const store = await openSnapshotStore(driver, { random: () => 0, memory });
    return openCalendar({ store, url, userAgent: 'Tayang/test', report() {}, now: () => NOON });
  };
  const stored = { url, calendar: { readAt: NOON, media: [] }, isDown: false, nextAt: 0 };
  await (await open({ broadcasts: stored })).stop();
  const again = await open({});
  expect(again.readAt()).toBe(NOON);
  await again.stop();
});
