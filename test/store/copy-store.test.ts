import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { removeCopyMark } from '../../src/store/copy-mark.ts';
import { copyStore } from '../../src/store/copy-store.ts';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import type { Store } from '../../src/store/store.ts';
import { writeValues } from '../support/write-store.ts';

const LIMIT = { max: 10, day: 1, unusedSince: 0 };

const copy = (from: Store, to: Store, fromName = 'sqlite:/old') =>
  copyStore({ from, to, fromName, onCopied() {} });

async function openStore(database?: DatabaseSync): Promise<Store> {
  const store = await openMemoryStore(database);
  onTestFinished(() => store.close());
  return store;
}

async function openUsed(): Promise<Store> {
  const store = await openStore();
  await openSnapshotStore(store, { random: () => 0.5 });
  await writeValues(store, { keys: { private: 'x' } });
  await store.subscriptions.put('a', 'at a', LIMIT);
  return store;
}

async function contentsOf({ contents }: Store) {
  return [await contents.read('values', '', 100), await contents.read('subscriptions', '', 100)];
}

test.each<[string, (to: Store) => Promise<unknown>]>([
  ['a value of its own', (to) => writeValues(to, { keys: { private: 'y' } })],
  ['a subscription of its own', (to) => to.subscriptions.put('b', 'at b', LIMIT)],
  ['a crawl of its own', (to) => writeValues(to, { status: { attemptedAt: 1 } })],
  ['receivers of its own', (to) => writeValues(to, { outbox: { revision: 1, receivers: {} } })],
])('a copy is refused, and changes nothing, where TO has %s', async (_what, prepare) => {
  const to = await openStore();
  await prepare(to);
  const before = await contentsOf(to);
  await expect(copy(await openUsed(), to)).rejects.toThrow(/TO has data of its own/u);
  expect(await contentsOf(to)).toEqual(before);
});

test('a store that was only opened, as by the doctor, counts as empty', async () => {
  const to = await openStore();
  await openSnapshotStore(to, { random: () => 0.1 });
  const from = await openUsed();
  await copy(from, to);
  expect(await to.values.get('status')).toEqual(await from.values.get('status'));
});

test('a copy of another store is refused, and one on which a service has run since', async () => {
  const from = await openUsed();
  const to = await openStore();
  await copy(from, to);
  const before = await contentsOf(to);
  await expect(copy(from, to, 'sqlite:/other')).rejects.toThrow(/a copy of another store/u);
  expect(await contentsOf(to)).toEqual(before);
  await removeCopyMark(to);
  await expect(copy(from, to)).rejects.toThrow(/a service has run on it/u);
});

test('a copy is refused while a process refreshes TO', async () => {
  const to = await openStore();
  const lease = await to.lease('refresh');
  await expect(copy(await openUsed(), to)).rejects.toThrow('a process is using TO; stop it first');
  await lease?.release();
});

test('a copy is refused where FROM is empty, of a later version, or has something of an unknown kind', async () => {
  const to = await openStore();
  await expect(copy(await openStore(), to)).rejects.toThrow(/FROM is empty/u);
  const later = await openUsed();
  await writeValues(later, { listing: { version: 1_000 } });
  await expect(copy(later, to)).rejects.toThrow('has version 1000');
  const database = new DatabaseSync(':memory:');
  const unknown = await openStore(database);
  database.exec('CREATE TABLE albums (key TEXT)');
  await expect(copy(unknown, to)).rejects.toThrow('FROM has the table albums, which this version');
  await expect(copy(await openUsed(), unknown)).rejects.toThrow(
    'TO has the table albums, which this version',
  );
  expect(await contentsOf(to)).toEqual([[], []]);
});
