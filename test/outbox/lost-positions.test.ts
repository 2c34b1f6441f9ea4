import { expect, onTestFinished, test } from 'vitest';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import { beginEpoch } from '../../src/store/stored-listing.ts';
import { NOON } from '../support/outbox.ts';
import { openReceiver, type TestReceiver } from '../support/webhook-receiver.ts';
import { makeEvents, writeEvents } from '../support/webhook-store.ts';
import { openTestOutbox } from '../support/webhooks.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const numbersOf = ({ received }: TestReceiver) => received.map(({ body }) => body.data.number);
const openHook = () => openReceiver(onTestFinished);

/** A store with six events, of which the last three are at most two hours old, and a sender that was stopped. */
async function openStore(epoch: string) {
  const hook = await openHook();
  const scene = await openTestOutbox(onTestFinished, []);
  await scene.outbox.stop();
  const events = [...makeEvents(1, 3, NOON - DAY - HOUR), ...makeEvents(4, 6, NOON - HOUR)];
  await writeEvents(scene.store, events, epoch);
  const losePositions = () => scene.database.exec("DELETE FROM keyv WHERE key = 'keyv:outbox'");
  return { hook, losePositions, ...scene };
}

const start = (
  { store }: { store: Awaited<ReturnType<typeof openStore>>['store'] },
  ...hooks: TestReceiver[]
) =>
  openTestOutbox(
    onTestFinished,
    hooks.map(({ url }) => url),
    { store },
  );
const reportsOf = (events: { type: string }[]) =>
  events.filter(({ type }) => ['webhook-added', 'webhook-position-lost'].includes(type));

test('a receiver whose position nobody remembers is sent the last day again, with a warning', async () => {
  const old = await openStore('e1');
  old.losePositions();
  // Another process, which has never known a position.
  const store = await openSnapshotStore(await openMemoryStore(old.database), { random: () => 0 });
  const { events } = await start({ store }, old.hook);
  await expect.poll(() => numbersOf(old.hook)).toEqual([4, 5, 6]);
  expect(reportsOf(events)).toMatchObject([{ type: 'webhook-position-lost', count: 3 }]);
});

test('a receiver in a store that has begun anew may have been known before: it is sent all that the store has', async () => {
  const scene = await openStore(beginEpoch(NOON - 23 * HOUR));
  const { events } = await start(scene, scene.hook);
  await expect.poll(() => numbersOf(scene.hook)).toEqual([4, 5, 6]);
  expect(reportsOf(events)).toMatchObject([{ type: 'webhook-position-lost', count: 3 }]);
});

test('a receiver is new where nothing was lost and nobody has sent for a day, and where others are known', async () => {
  const scene = await openStore(beginEpoch(NOON - DAY));
  const first = await start(scene, scene.hook);
  expect(reportsOf(first.events)).toMatchObject([{ type: 'webhook-added' }]);
  await first.outbox.stop();
  const added = await openHook();
  const second = await start(scene, scene.hook, added);
  expect(reportsOf(second.events)).toMatchObject([{ type: 'webhook-added' }]);
  await second.write(1);
  await second.whenSent();
  expect([numbersOf(scene.hook), numbersOf(added)]).toEqual([[7], [7]]);
});

test('what has become too old for a receiver that comes back is reported', async () => {
  const scene = await openStore('e1');
  const first = await start(scene, scene.hook);
  await first.outbox.stop();
  const known = (await scene.store.readListing())?.events ?? [];
  await writeEvents(scene.store, [...known, ...makeEvents(7, 9, NOON)], 'e1');
  first.clock.now = NOON + DAY + HOUR;
  const outbox = first.start();
  await expect.poll(outbox.states).toMatchObject([{ state: 'ok', dropped: 3, pending: 0 }]);
  expect(first.events.filter(({ type }) => type === 'webhook-dropped')).toMatchObject([{ count: 3 }]);
});
