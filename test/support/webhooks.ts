import { setTimeout as sleep } from 'node:timers/promises';
import { openSnapshotStore, type SnapshotStore } from '../../src/crawler/snapshot-store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { createWebhookClient } from '../../src/webhooks/client.ts';
import type { ReceiverAddress } from '../../src/webhooks/receiver-address.ts';
import { type ReceiverState, stateKeyOf } from '../../src/webhooks/receiver-state.ts';
import { startWebhookSender } from '../../src/webhooks/sender.ts';
import type { Defer } from './defer.ts';
import { eventually } from './service.ts';
import { makeEvents, writeEvents } from './webhook-store.ts';

export const NOON = Date.parse('2026-11-20T12:00:00Z');

interface SenderSettings {
  store?: SnapshotStore;
  allowsPrivate?: boolean;
  secret?: string | null;
  firstMs?: number;
}

/**
 * A sender over a store in memory; what it sends goes over the network. The clock stands still but for the waits after
 * failures, so that these are over at once.
 */
export async function openTestSender(
  defer: Defer,
  receivers: readonly (string | ReceiverAddress)[],
  { allowsPrivate = true, secret = null, firstMs = 1, ...settings }: SenderSettings = {},
) {
  const store = settings.store ?? (await openSnapshotStore(await openMemoryStore(), { random: () => 0 }));
  const events: OperationalEvent[] = [];
  const clock = { now: NOON };
  const now = () => clock.now;
  const client = createWebhookClient(allowsPrivate);
  defer(() => client.close());
  const addresses = receivers.map(
    (one): ReceiverAddress => (typeof one === 'string' ? { kind: 'standard', url: one } : one),
  );

  function start() {
    const sender = startWebhookSender({
      store,
      now,
      retry: { firstMs, random: () => 0 },
      receivers: addresses,
      ...{ client, secret, userAgent: 'Tayang/test', timeoutMs: 2_000 },
      report(event) {
        events.push(event);
        if (event.type === 'webhook-failed') clock.now += event.retryInMs;
      },
    });
    defer(() => sender.stop());
    return sender;
  }

  const sender = start();
  const isSending = () => sender.states().every(({ state }) => state !== 'standby');
  await eventually(async () => isSending(), Boolean);
  let written = 0;
  return {
    store,
    events,
    clock,
    sender,
    start,
    /** Writes so many further events, the last of them at the time of the clock. */
    async write(count: number) {
      written += count;
      await writeEvents(store, makeEvents(1, written, clock.now));
    },
    /** Resolves once every receiver has, or is not to have, what has been written. */
    async whenSent() {
      for (const address of addresses) {
        await eventually(
          async () => store.values.get<ReceiverState>(stateKeyOf(address)),
          (state) => state?.event === written,
        );
      }
      return sender.states();
    },
    /** Waits until a message that must not be sent would have been. */
    settle: () => sleep(100),
  };
}
