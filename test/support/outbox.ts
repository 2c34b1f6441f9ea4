import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnimeEvent } from '../../src/domain/event.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { type ClientOptions, createWebhookClient } from '../../src/outbox/client.ts';
import { startOutbox } from '../../src/outbox/outbox.ts';
import type { Receiver, ReceiverState } from '../../src/outbox/receiver.ts';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import { nameOf } from '../../src/store/event-position.ts';
import { openSnapshotStore, type SnapshotStore } from '../../src/store/snapshot-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Defer } from './defer.ts';
import { eventually } from './service.ts';
import { makeEvents, writeEvents } from './webhook-store.ts';

export const NOON = Date.parse('2026-11-20T12:00:00Z');

export interface OutboxSettings {
  store?: SnapshotStore;
  allowsPrivate?: boolean;
  firstMs?: number;
  slowMs?: number;
}

export type ReceiverOptions = ClientOptions & { report(event: OperationalEvent): void };

/** The stored states of all receivers, by their keys. */
export async function readStates({ values }: Pick<Store, 'values'>) {
  return (await values.get<{ receivers: Record<string, ReceiverState> }>('outbox'))?.receivers ?? {};
}

/**
 * An outbox over a store in memory; what it sends goes over the network. The clock stands still but for the waits after
 * failures, so that these are over at once. `createReceivers` is called at each start, which ends what it returns.
 */
export async function openOutboxScene(
  defer: Defer,
  createReceivers: (options: ReceiverOptions) => { receivers: Receiver[]; stop?(): void },
  { allowsPrivate = true, firstMs = 1, slowMs, ...settings }: OutboxSettings = {},
) {
  const database = new DatabaseSync(':memory:');
  const store =
    settings.store ?? (await openSnapshotStore(await openMemoryStore(database), { random: () => 0 }));
  const events: OperationalEvent[] = [];
  const clock = { now: NOON };
  const now = () => clock.now;
  const client = createWebhookClient(allowsPrivate);
  defer(() => client.close());
  const report = (event: OperationalEvent) => {
    events.push(event);
    if (event.type === 'webhook-failed') clock.now += event.retryInMs;
  };
  if (!(await store.readSnapshot())) await writeEvents(store, []);
  let written: readonly AnimeEvent[] = (await store.readListing())?.events ?? [];
  let keys: string[] = [];

  function start() {
    const { receivers, stop } = createReceivers({ client, userAgent: 'Tayang/test', now, report });
    keys = receivers.map(({ key }) => key);
    const retry = { firstMs, random: () => 0 };
    const outbox = startOutbox({
      store,
      receivers,
      tellsTrouble: true,
      retry,
      ...(slowMs !== undefined && { slowMs }),
      report,
      now,
    });
    const stopAll = async () => {
      await outbox.stop();
      stop?.();
    };
    defer(stopAll);
    return { ...outbox, stop: stopAll };
  }

  return {
    store,
    /** Of the store in memory. */
    database,
    /** What was reported. */
    events,
    clock,
    start,
    /** Writes so many further events, the last of them at the time of the clock: new episodes of `judul-N`, N being the number. */
    async write(count = 1) {
      const [first, last] = [written.length + 1, written.length + count];
      written = [...written, ...makeEvents(first, last, clock.now)];
      await writeEvents(store, written);
    },
    /** Resolves once each receiver was sent all that did not have to wait, and that is stored. */
    async whenSent() {
      const { epoch } = (await store.readSnapshot()) ?? { epoch: '' };
      const end = nameOf(epoch, written.at(-1));
      const isAtEnd = (states: Record<string, ReceiverState>) =>
        keys.every((key) => states[key]?.position === end && states[key].progress === null);
      await eventually(() => readStates(store), isAtEnd);
    },
    /** Waits until a message that must not be sent would have been. */
    settle: () => sleep(200),
  };
}
