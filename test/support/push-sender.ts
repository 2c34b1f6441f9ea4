import { createDenials } from '../../src/outbox/push/denials.ts';
import { createPostPush } from '../../src/outbox/push/post-push.ts';
import { createPushReceiver } from '../../src/outbox/push/push-receiver.ts';
import type { Subscription } from '../../src/outbox/push/subscription.ts';
import { createSubscriptions } from '../../src/outbox/push/subscription.ts';
import { createAuthorization, createVapidKeys } from '../../src/outbox/push/vapid.ts';
import { rowKeyOf } from '../../src/outbox/subscription-body.ts';
import type { Defer } from './defer.ts';
import { openOutboxScene, readStates } from './outbox.ts';
import { eventually } from './service.ts';

const CONTACT = 'mailto:ops@example.org';

/**
 * An outbox that sends push messages. The waits before a message is sent again are short, and real. Without `slowMs` no push service
 * is slow, however busy the machine is.
 */
export async function openTestPushSender(
  defer: Defer,
  { allowsPrivate = true, firstMs = 50, maxAttempts = 4, slowMs = 60_000, max = 50_000 } = {},
) {
  const authorize = createAuthorization(createVapidKeys(), CONTACT);
  const scene = await openOutboxScene(
    defer,
    (options) => {
      const post = createPostPush({ ...options, authorize, allowsPrivate, timeoutMs: 60_000 });
      const denials = createDenials({ store, contact: CONTACT, ...options });
      const rows = store.subscriptions;
      const receiver = createPushReceiver({ rows, post, denials, report: options.report, maxAttempts });
      return { receivers: [receiver], stop: denials.stop };
    },
    { allowsPrivate, firstMs, slowMs },
  );
  const { store, clock, events: reports } = scene;
  const report = (event: (typeof reports)[number]) => void reports.push(event);
  const change = createSubscriptions({ rows: store.subscriptions, report, now: () => clock.now, max });

  return {
    ...scene,
    reports,
    /** Starts the outbox, and waits until it follows the events. Returns the function that stops it. */
    async start(): Promise<() => Promise<void>> {
      const { stop } = scene.start();
      await eventually(async () => (await readStates(store)).push, Boolean);
      return stop;
    },
    subscribe: change,
    isSubscribed: async ({ endpoint }: Subscription) =>
      (await store.subscriptions.after('', max)).some(([key]) => key === rowKeyOf(endpoint)),
  };
}
