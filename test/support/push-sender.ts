import { setTimeout as sleep } from 'node:timers/promises';
import { nameOf } from '../../src/crawler/event-position.ts';
import { openSnapshotStore } from '../../src/crawler/snapshot-store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import type { AnimeEvent } from '../../src/domain/event.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { createWebhookClient } from '../../src/outbox/client.ts';
import { startOutbox } from '../../src/outbox/outbox.ts';
import { createPostPush } from '../../src/outbox/push/post-push.ts';
import { createPushReceiver } from '../../src/outbox/push/push-receiver.ts';
import type { Subscription } from '../../src/outbox/push/subscription.ts';
import { createSubscriptions, rowKeyOf } from '../../src/outbox/push/subscriptions.ts';
import { createAuthorization, createVapidKeys } from '../../src/outbox/push/vapid.ts';
import type { Defer } from './defer.ts';
import { eventually } from './service.ts';
import { makeEvents, writeEvents } from './webhook-store.ts';
import { NOON, readStates } from './webhooks.ts';

/**
 * An outbox that sends push messages, over a store in memory. Its clock stands still unless a test moves it; the waits before a
 * message is sent again are short, and real.
 */
export async function openTestPushSender(
  defer: Defer,
  { allowsPrivate = true, retriesMs = [50, 50, 50], slowMs = 2_000, max = 50_000 } = {},
) {
  const store = await openSnapshotStore(await openMemoryStore(), { random: () => 0 });
  const reports: OperationalEvent[] = [];
  const report = (event: OperationalEvent) => void reports.push(event);
  const clock = { now: NOON };
  const now = () => clock.now;
  const client = createWebhookClient(allowsPrivate);
  defer(() => client.close());
  const authorize = createAuthorization(createVapidKeys(), 'mailto:ops@example.org');
  const change = createSubscriptions({ rows: store.subscriptions, report, now, max });
  let events: AnimeEvent[] = [];
  await writeEvents(store, events);

  const state = async () => (await readStates(store)).push;

  /** Starts the outbox, and waits until it follows the events. Returns the function that stops it. */
  async function start(): Promise<() => Promise<void>> {
    const post = createPostPush({
      ...{ now, client, authorize, allowsPrivate, userAgent: 'Tayang/test', timeoutMs: 60_000 },
    });
    const services = { retriesMs, slowMs };
    const push = createPushReceiver({ rows: store.subscriptions, post, report, now, services });
    const retry = { random: () => 0 };
    const outbox = startOutbox({
      store,
      receivers: [push.receiver],
      tellsTrouble: false,
      retry,
      report,
      now,
    });
    const stop = async () => {
      await outbox.stop();
      push.stop();
    };
    defer(stop);
    await eventually(state, Boolean);
    return stop;
  }

  return {
    store,
    clock,
    reports,
    start,
    subscribe: (subscription: Subscription) => change({ type: 'put', subscription }),
    isSubscribed: async ({ endpoint }: Subscription) =>
      (await store.subscriptions.after('', max)).some(([key]) => key === rowKeyOf(endpoint)),
    /** Writes further events: by default one new episode of `judul-N`, N being its number. */
    async write(count = 1, change_: object = {}) {
      const [first, last] = [events.length + 1, events.length + count];
      events = [...events, ...makeEvents(first, last, clock.now).map((event) => ({ ...event, ...change_ }))];
      await writeEvents(store, events);
    },
    /** Resolves once the last event has been sent to all that were not to wait for their service. */
    whenSent: () =>
      eventually(
        state,
        (found) => found?.position === nameOf('e1', events.at(-1)) && found.progress === null,
      ),
    /** Waits until a message that must not be sent would have been. */
    settle: () => sleep(200),
  };
}
