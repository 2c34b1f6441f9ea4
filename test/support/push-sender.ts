import { setTimeout as sleep } from 'node:timers/promises';
import { openSnapshotStore } from '../../src/crawler/snapshot-store.ts';
import { openMemoryStore } from '../../src/crawler/stores/memory.ts';
import type { AnimeEvent } from '../../src/domain/event.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { createPostPush } from '../../src/push/post-push.ts';
import type { PushProgress } from '../../src/push/push-progress.ts';
import { startPushSender } from '../../src/push/push-sender.ts';
import type { Subscription } from '../../src/push/subscription.ts';
import { createSubscriptions, rowKeyOf } from '../../src/push/subscriptions.ts';
import { createAuthorization, createVapidKeys } from '../../src/push/vapid.ts';
import { createWebhookClient } from '../../src/webhooks/client.ts';
import type { Defer } from './defer.ts';
import { eventually } from './service.ts';
import { makeEvents, writeEvents } from './webhook-store.ts';
import { NOON } from './webhooks.ts';
import { writeStore } from './write-store.ts';

/** A sender of push messages over a store in memory, with a clock that stands still unless a test moves it. */
export async function openTestPushSender(defer: Defer, { allowsPrivate = true } = {}) {
  const store = await openSnapshotStore(await openMemoryStore(), { random: () => 0 });
  const reports: OperationalEvent[] = [];
  const report = (event: OperationalEvent) => void reports.push(event);
  const clock = { now: NOON };
  const now = () => clock.now;
  const client = createWebhookClient(allowsPrivate);
  defer(() => client.close());
  const authorize = createAuthorization(createVapidKeys(), 'mailto:ops@example.org');
  const change = createSubscriptions(store.subscriptions, report);
  let events: AnimeEvent[] = [];

  const progress = () => store.values.get<PushProgress>('push:progress');

  /** Starts the sender, and waits until it follows the events. Returns the function that stops it. */
  async function start(): Promise<() => Promise<void>> {
    const post = createPostPush({
      now,
      client,
      authorize,
      allowsPrivate,
      userAgent: 'Tayang/test',
      timeoutMs: 60_000,
    });
    const stop = startPushSender({ store, post, report, random: () => 0, now });
    defer(stop);
    await eventually(progress, Boolean);
    return stop;
  }

  return {
    store,
    clock,
    reports,
    start,
    progress,
    subscribe: (subscription: Subscription) => change({ type: 'put', subscription }),
    isSubscribed: async ({ endpoint }: Subscription) =>
      (await store.subscriptions.get(rowKeyOf(endpoint))) !== undefined,
    /** Writes further events: by default one new episode of `judul-N`, N being its number. */
    async write(count = 1, change_: object = {}) {
      const [first, last] = [events.length + 1, events.length + count];
      events = [...events, ...makeEvents(first, last, clock.now).map((event) => ({ ...event, ...change_ }))];
      await writeEvents(store, events);
    },
    /** Resolves once the last event has been sent to all whom it could be sent to. */
    whenSent: () => eventually(progress, (found) => found?.event === events.length && found.round === null),
    /** Moves the clock, and lets the sender notice. */
    async pass(ms: number) {
      clock.now += ms;
      await writeStore(store, { status: await store.readStatus() });
    },
    /** Waits until a message that must not be sent would have been. */
    settle: () => sleep(100),
  };
}
