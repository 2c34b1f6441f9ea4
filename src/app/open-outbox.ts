import { type Foresee, foresee } from '../belief/expectations/foresee.ts';
import type { WebhookState } from '../domain/health.ts';
import type { OperationalEvent, Report } from '../domain/operational-event.ts';
import type { ChannelChange } from '../outbox/channels/channel.ts';
import type { ChannelOutcome } from '../outbox/channels/channels.ts';
import { createWebhookClient } from '../outbox/client.ts';
import { startOutbox } from '../outbox/outbox.ts';
import type { ChangeOutcome, SubscriptionChange } from '../outbox/push/subscription.ts';
import { createWebhookReceivers } from '../outbox/webhooks/webhook-receiver.ts';
import type { EventContext } from '../publishing/events.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Config } from './config.ts';
import { openChannelSender } from './open-channels.ts';
import { openPush } from './open-push.ts';
import type { Origins } from './threads/messages.ts';

/** Opens the senders of this process: webhooks, Web Push and channels. */
export interface OpenOutbox {
  /** The states of the receivers of WEBHOOK_URLS. */
  states(): WebhookState[];
  /** The public key for subscriptions to Web Push; undefined until it is read. */
  pushKey(): string | undefined;
  changeSubscription: ((change: SubscriptionChange) => Promise<ChangeOutcome>) | undefined;
  changeChannel: ((change: ChannelChange) => Promise<ChannelOutcome>) | undefined;
  /** Sends a notice of what happened elsewhere in this process, if receivers are to know it. */
  onEvent(event: OperationalEvent): void;
  stop(): Promise<void>;
}

interface OutboxOptions {
  store: SnapshotStore;
  origins: Origins;
  /** What events show at the moment that is not kept with them. */
  eventContext: () => EventContext;
  /** What a calendar of broadcasts foresees, where one is configured. */
  foresee?: Foresee | undefined;
  report: Report;
}

export function openOutbox(config: Config, options: OutboxOptions): OpenOutbox {
  const { store, origins, report } = options;
  const { receivers, secret, allowsPrivate } = config.webhooks;
  const now = Date.now;
  const eventContext = keepFor(CONTEXT_MS, options.eventContext);
  const coverOf = (slug: string) => eventContext().covers?.addressOf(slug);
  const client = createWebhookClient(allowsPrivate);
  const posting = {
    client,
    userAgent: `Tayang/${config.version}`,
    allowsPrivate,
    coverOf,
    store,
    report,
    now,
  };
  const push = config.pushContact ? openPush(config.pushContact, posting) : undefined;
  const channels =
    config.channels === 'discord'
      ? openChannelSender({
          ...posting,
          url: origins.listing,
          sourceUrl: config.source.urls[0] ?? '',
          foresee: options.foresee ?? foresee,
        })
      : undefined;
  const isSending = config.serves.refresh;
  const webhooks = isSending
    ? createWebhookReceivers(receivers, { ...posting, secret, eventContext: options.eventContext })
    : [];
  const others = isSending ? [push?.receiver, channels?.receiver].filter((one) => one !== undefined) : [];
  const all = [...webhooks, ...others];
  const tellsTrouble = webhooks.length > 0;
  const outbox =
    all.length > 0
      ? startOutbox({ store, receivers: all, tellsTrouble, retry: { random: Math.random }, report, now })
      : undefined;

  return {
    states: () => outbox?.states().slice(0, webhooks.length) ?? [],
    pushKey: () => push?.publicKey(),
    changeSubscription: push?.change,
    changeChannel: channels?.change,
    onEvent(event) {
      if (!tellsTrouble || event.type !== 'file-reported' || event.earlier > 0) return;
      const { id, reason, note } = event;
      const data = { id, reason, note, link: `${origins.uploads}/${id}` };
      outbox
        ?.notify({ type: 'upload.reported', data })
        .catch((error: unknown) =>
          report({ type: 'store-failed', doing: 'queueing a notice for the webhooks', error }),
        );
    },
    async stop() {
      push?.stop();
      channels?.stop();
      await outbox?.stop();
      await client.close();
    },
  };
}

/** A round has thousands of messages, for which this need not be made each time. */
const CONTEXT_MS = 1_000;

/** Returns a function that makes a value anew after some time. */
function keepFor<Value>(ms: number, make: () => Value): () => Value {
  let kept: { value: Value; until: number } | undefined;
  return () => {
    const now = performance.now();
    if (!kept || now >= kept.until) kept = { value: make(), until: now + ms };
    return kept.value;
  };
}
