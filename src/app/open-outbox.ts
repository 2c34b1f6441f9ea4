import type { OperationalEvent, Report } from '../domain/operational-event.ts';
import { createWebhookClient } from '../outbox/client.ts';
import { startOutbox } from '../outbox/outbox.ts';
import { createDenials } from '../outbox/push/denials.ts';
import { createPostPush } from '../outbox/push/post-push.ts';
import { followPushKeys } from '../outbox/push/push-keys.ts';
import { createPushReceiver } from '../outbox/push/push-receiver.ts';
import { createSubscriptions } from '../outbox/push/subscription.ts';
import { createAuthorization } from '../outbox/push/vapid.ts';
import { createWebhookReceivers } from '../outbox/webhooks/webhook-receiver.ts';
import type { EventContext } from '../publishing/events.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Config } from './config.ts';

interface OutboxOptions {
  store: SnapshotStore;
  /** The public origin of the uploads. */
  uploadsUrl: string;
  /** What events show at the moment that is not kept with them. */
  eventContext: () => EventContext;
  report: Report;
}

export type Outbox = ReturnType<typeof openOutbox>;

/** Opens what tells others of news, as far as this process does that: webhooks and Web Push. */
export function openOutbox(config: Config, { store, uploadsUrl, eventContext, report }: OutboxOptions) {
  const { receivers, secret, allowsPrivate } = config.webhooks;
  const now = Date.now;
  const client = createWebhookClient(allowsPrivate);
  const posting = { client, userAgent: `Tayang/${config.version}`, now };
  const push = config.pushContact ? openPush(config.pushContact) : undefined;
  const isSending = config.serves.refresh;
  const webhooks = isSending ? createWebhookReceivers(receivers, { ...posting, secret, eventContext }) : [];
  const all = isSending && push ? [...webhooks, push.receiver] : webhooks;
  const tellsTrouble = webhooks.length > 0;
  const outbox =
    all.length > 0
      ? startOutbox({ store, receivers: all, tellsTrouble, retry: { random: Math.random }, report, now })
      : undefined;

  /** Follows the keys. No message is sent before they are known. */
  function openPush(contact: string) {
    const known = Promise.withResolvers<void>();
    let authorize: ReturnType<typeof createAuthorization> = () => '';
    let publicKey: string | undefined;
    const stopFollowing = followPushKeys(store, (keys) => {
      authorize = createAuthorization(keys, contact);
      publicKey = keys.publicKey;
      known.resolve();
    });
    const post = createPostPush({ ...posting, allowsPrivate, authorize: (...of) => authorize(...of) });
    const denials = createDenials({ store, contact, report, now });
    const { receiver, stop: stopSending } = createPushReceiver({
      rows: store.subscriptions,
      post: async (...of) => {
        await known.promise;
        return post(...of);
      },
      coverOf: (slug) => eventContext().covers?.addressOf(slug),
      denials,
      report,
      now,
    });
    return {
      receiver,
      publicKey: () => publicKey,
      change: createSubscriptions({ rows: store.subscriptions, report, now }),
      stop() {
        stopFollowing();
        denials.stop();
        known.resolve();
      },
      stopSending,
    };
  }

  return {
    states: () => outbox?.states().slice(0, webhooks.length) ?? [],
    pushKey: () => push?.publicKey(),
    change: push?.change,
    /** Sends a notice of what happened elsewhere in this process, if receivers are to know it. */
    onEvent(event: OperationalEvent): void {
      if (!tellsTrouble || event.type !== 'file-reported' || event.earlier > 0) return;
      const { id, reason, note } = event;
      const data = { id, reason, note, link: `${uploadsUrl}/${id}` };
      outbox
        ?.notify({ type: 'upload.reported', data })
        .catch((error: unknown) =>
          report({ type: 'store-failed', doing: 'queueing a notice for the webhooks', error }),
        );
    },
    async stop(): Promise<void> {
      push?.stop();
      await outbox?.stop();
      push?.stopSending();
      await client.close();
    },
  };
}
