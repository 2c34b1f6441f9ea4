import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { receiverKey } from '../../src/outbox/webhooks/webhook-receiver.ts';
import { openSqliteStore } from '../../src/store/drivers/sqlite.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import { temporaryFolder } from '../support/service.ts';
import { statusOf } from '../support/status.ts';
import { openReceiver } from '../support/webhook-receiver.ts';
import { openTestOutbox } from '../support/webhooks.ts';
import { writeStore, writeValues } from '../support/write-store.ts';
import FORMER from './former-stores.json' with { type: 'json' };

/** The file that version 0.1.0 wrote at a commit, with two of its anime and events. */
async function openFormer(name: keyof typeof FORMER) {
  const file = path.join(await temporaryFolder(onTestFinished), 'cache.sqlite');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE keyv (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
  const insert = database.prepare('INSERT INTO keyv (key, value) VALUES (?, ?)');
  for (const [key, value] of Object.entries(FORMER[name]))
    insert.run(`keyv:${key}`, JSON.stringify({ value }));
  database.close();
  const store = await openSqliteStore(`sqlite:${file}`);
  onTestFinished(() => store.close());
  const rows = () => {
    using reader = new DatabaseSync(file);
    return reader.prepare('SELECT * FROM keyv ORDER BY key').all();
  };
  return { store, rows, open: () => openSnapshotStore(store, { random: () => 0 }) };
}

test.each(['076adff', 'fe1054e'] as const)(
  'a store of %s is taken over with its events and their numbers, and opening it changes nothing',
  async (name) => {
    const { rows, open } = await openFormer(name);
    const before = rows();
    const store = await open();
    const listing = (await store.readListing())!;
    const { snapshot, events } = FORMER[name];
    expect(rows()).toEqual(before);
    expect(listing.snapshot).toMatchObject({ lastEvent: 4, ongoing: snapshot.ongoing });
    expect(listing.events).toEqual(events);
    expect(listing.events.map(({ number }) => number)).toEqual([3, 4]);
    expect(await statusOf(store)).toMatchObject({ state: 'ok', mirror: FORMER[name].status.mirror });
    await writeStore(store, { listing });
    expect(await (await open()).readListing()).toMatchObject(listing);
  },
);

test('a receiver is not sent again what an earlier version delivered, and one that is new gets later events only', async () => {
  const former = await openFormer('fe1054e');
  const store = await former.open();
  const [known, added] = [await openReceiver(onTestFinished), await openReceiver(onTestFinished)];
  const address = { kind: 'standard', url: known.url } as const;
  const { 'webhooks:88db8f420bc134cfb1dc54b8e16b6cfa': state } = FORMER.fe1054e;
  await writeValues(former.store, { [`webhooks:${receiverKey(address)}`]: state });
  const { settle } = await openTestOutbox(onTestFinished, [address, added.url], { store });
  await settle();
  expect([known.received, added.received]).toEqual([[], []]);
  const { snapshot, events } = (await store.readListing())!;
  const at = events.at(-1)!.at + 60_000;
  const next = { ...events.at(-1)!, number: 5, at };
  const listing = {
    snapshot: { ...snapshot, lastEvent: 5, ongoingChangedAt: at },
    events: [...events, next],
  };
  await writeStore(store, { listing, status: { ...(await store.readStatus()), changedAt: at } });
  await expect.poll(() => [known, added].map(({ received }) => received.length)).toEqual([1, 1]);
});
