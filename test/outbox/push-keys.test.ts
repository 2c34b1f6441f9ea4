import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { followPushKeys } from '../../src/outbox/push/push-keys.ts';
import type { VapidKeys } from '../../src/outbox/push/vapid.ts';
import { openSqliteStore } from '../../src/store/drivers/sqlite.ts';
import type { Memory } from '../../src/store/memory.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import { eventually, temporaryFolder } from '../support/service.ts';
import { createMemory } from '../support/thread-memory.ts';
import { writeValues } from '../support/write-store.ts';

async function openProcess(folder: string, memory?: Memory) {
  const store = await openSqliteStore(`sqlite:${path.join(folder, 'cache.sqlite')}`);
  onTestFinished(() => store.close());
  const seen: string[] = [];
  const opened = await openSnapshotStore(store, { random: () => 0, ...(memory && { memory }) });
  const follow = () => {
    const stop = followPushKeys(opened, ({ publicKey }) => seen.push(publicKey));
    onTestFinished(stop);
    return stop;
  };
  return { store: opened, seen, follow };
}

const KEY = 'push:keys';

test('processes that start at once agree on one key pair, which a later start finds again', async () => {
  const folder = await temporaryFolder(onTestFinished);
  const processes = await Promise.all([1, 2, 3, 4].map(() => openProcess(folder)));
  for (const { follow } of processes) follow();
  const all = () => processes.flatMap(({ seen }) => seen);
  await expect.poll(() => all().length).toSatisfy((count) => count >= 4);
  const later = await openProcess(folder);
  later.follow();
  await expect.poll(() => later.seen.length).toSatisfy((count) => count > 0);
  expect(new Set([...all(), ...later.seen]).size).toBe(1);
});

test('a store that has forgotten the keys gets them back, and one that has others is followed', async () => {
  const { seen, follow, store } = await openProcess(await temporaryFolder(onTestFinished));
  follow();
  await expect.poll(() => seen.length).toBe(1);
  await writeValues(store, { [KEY]: undefined });
  const stored = await eventually(() => store.values.get<VapidKeys>(KEY), Boolean);
  expect(stored?.publicKey).toBe(seen[0]);
  await writeValues(store, { [KEY]: { ...stored, publicKey: 'another' } });
  await expect.poll(() => seen.at(-1)).toBe('another');
});

test('a thread that is started again has the keys of the run before at once, and a store that has forgotten them gets them back', async () => {
  const memory = createMemory();
  const first = await openProcess(await temporaryFolder(onTestFinished), memory);
  const stop = first.follow();
  await expect.poll(() => first.seen.length).toBe(1);
  stop();
  const again = await openProcess(await temporaryFolder(onTestFinished), memory);
  again.follow();
  expect(again.seen).toEqual(first.seen);
  const stored = await eventually(() => again.store.values.get<VapidKeys>(KEY), Boolean);
  expect([stored?.publicKey]).toEqual(first.seen);
});
