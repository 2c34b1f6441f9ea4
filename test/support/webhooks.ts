import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { nameOf } from '../../src/crawler/event-position.ts';
import { openSnapshotStore, type SnapshotStore } from '../../src/crawler/snapshot-store.ts';
import type { Store } from '../../src/crawler/store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import type { AnimeEvent } from '../../src/domain/event.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { createWebhookClient } from '../../src/outbox/client.ts';
import { startOutbox } from '../../src/outbox/outbox.ts';
import type { ReceiverState } from '../../src/outbox/receiver.ts';
import type { ReceiverAddress } from '../../src/outbox/webhooks/receiver-address.ts';
import { createWebhookReceivers } from '../../src/outbox/webhooks/webhook-receiver.ts';
import type { Defer } from './defer.ts';
import { eventually } from './service.ts';
import { makeEvents, writeEvents } from './webhook-store.ts';

export const NOON = Date.parse('2026-11-20T12:00:00Z');

interface OutboxSettings {
  store?: SnapshotStore;
  allowsPrivate?: boolean;
  secret?: string | null;
  firstMs?: number;
}

/** The stored states of all receivers, by their keys. */
export async function readStates({ values }: Pick<Store, 'values'>) {
  return (await values.get<{ receivers: Record<string, ReceiverState> }>('outbox'))?.receivers ?? {};
}

/**
 * An outbox over a store in memory; what it sends goes over the network. The clock stands still but for the waits after
 * failures, so that these are over at once.
 */
export async function openTestOutbox(
  defer: Defer,
  receivers: readonly (string | ReceiverAddress)[],
  { allowsPrivate = true, secret = null, firstMs = 1, ...settings }: OutboxSettings = {},
) {
  const database = new DatabaseSync(':memory:');
  const store =
    settings.store ?? (await openSnapshotStore(await openMemoryStore(database), { random: () => 0 }));
  const events: OperationalEvent[] = [];
  const clock = { now: NOON };
  const now = () => clock.now;
  const client = createWebhookClient(allowsPrivate);
  defer(() => client.close());
  const addresses = receivers.map(
    (one): ReceiverAddress => (typeof one === 'string' ? { kind: 'standard', url: one } : one),
  );
  const posting = { client, secret, userAgent: 'Tayang/test', timeoutMs: 2_000, now };

  function start() {
    const outbox = startOutbox({
      store,
      now,
      tellsTrouble: true,
      retry: { firstMs, random: () => 0 },
      receivers: createWebhookReceivers(addresses, posting),
      report(event) {
        events.push(event);
        if (event.type === 'webhook-failed') clock.now += event.retryInMs;
      },
    });
    defer(() => outbox.stop());
    return outbox;
  }

  if (!(await store.readSnapshot())) await writeEvents(store, []);
  const outbox = start();
  const isSending = () => outbox.states().every(({ state }) => state !== 'standby');
  await eventually(async () => isSending(), Boolean);
  let written: readonly AnimeEvent[] = (await store.readListing())?.events ?? [];
  return {
    store,
    /** Of the store in memory. */
    database,
    events,
    clock,
    outbox,
    start,
    /** Writes so many further events, the last of them at the time of the clock. */
    async write(count: number) {
      const [first, last] = [written.length + 1, written.length + count];
      written = [...written, ...makeEvents(first, last, clock.now)];
      await writeEvents(store, written);
    },
    /** Resolves once nothing is left to send to any receiver, and that is stored. */
    async whenSent() {
      const { epoch } = (await store.readSnapshot()) ?? { epoch: '' };
      const end = nameOf(epoch, written.at(-1));
      const isAtEnd = (states: Record<string, ReceiverState>) =>
        Object.values(states).every(({ position }) => position === end);
      await eventually(() => readStates(store), isAtEnd);
      return outbox.states();
    },
    /** Waits until a message that must not be sent would have been. */
    settle: () => sleep(100),
  };
}
