import { expect, onTestFinished, test } from 'vitest';
import { openSnapshotStore } from '../../src/crawler/snapshot-store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import { receiverKey } from '../../src/outbox/webhooks/webhook-receiver.ts';
import { presentEvent } from '../../src/publishing/events.ts';
import { openReceiver } from '../support/webhook-receiver.ts';
import { openTestOutbox } from '../support/webhooks.ts';
import { writeStore } from '../support/write-store.ts';
import FORMER from './former-stores.json' with { type: 'json' };

/** The values that version 0.1.0 wrote at two commits, with two of their anime and events. */
function valuesOf(name: keyof typeof FORMER): Map<string, string> {
  return new Map(
    Object.entries(FORMER[name]).map(([key, value]) => [`keyv:${key}`, JSON.stringify({ value })] as const),
  );
}

const open = async (values: Map<string, string>) =>
  openSnapshotStore(await openMemoryStore(values), { random: () => 0 });

test.each(['076adff', 'fe1054e'] as const)(
  'a store of %s is taken over with its events and their numbers, and opening it changes nothing',
  async (name) => {
    const values = valuesOf(name);
    const before = new Map(values);
    const store = await open(values);
    const listing = (await store.readListing())!;
    const { snapshot, events } = FORMER[name];
    expect(values).toEqual(before);
    expect(listing.snapshot).toMatchObject({ lastEvent: 4, ongoing: snapshot.ongoing });
    expect(listing.events).toEqual(events);
    expect(listing.events.map((event) => presentEvent(event).number)).toEqual([3, 4]);
    expect(await store.readStatus()).toMatchObject({ state: 'ok', mirror: FORMER[name].status.mirror });
    await writeStore(store, { listing });
    expect(await (await open(values)).readListing()).toMatchObject(listing);
  },
);

test('a receiver is not sent again what an earlier version delivered, and one that is new gets later events only', async () => {
  const values = valuesOf('fe1054e');
  const store = await open(values);
  const [known, added] = [await openReceiver(onTestFinished), await openReceiver(onTestFinished)];
  const address = { kind: 'standard', url: known.url } as const;
  const former = [...values].find(([key]) => key.startsWith('keyv:webhooks:'))!;
  values.set(`keyv:webhooks:${receiverKey(address)}`, former[1]);
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
