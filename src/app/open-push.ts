import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { Report } from '../domain/operational-event.ts';
import type { ChangeOutcome, SubscriptionChange } from '../push/subscription.ts';
import type { Config } from './config.ts';

/** What the crawler's thread, which has the store, does for Web Push. */
interface Push {
  change(change: SubscriptionChange): Promise<ChangeOutcome>;
  stop(): Promise<void>;
}

const NONE: Push = { change: async () => 'failed', stop: async () => {} };

interface PushOptions {
  store: SnapshotStore;
  /** Called with the public key, and again if the store comes to have another one. */
  onKey: (key: string) => void;
  report: Report;
}

/**
 * Opens Web Push, where it is switched on: follows the keys, stores subscriptions and, where this process refreshes, sends.
 * The modules are loaded only there.
 */
export async function openPush(config: Config, { store, onKey, report }: PushOptions): Promise<Push> {
  const { pushContact, version } = config;
  if (pushContact === null) return NONE;
  const [keys, subscriptions, vapid, posting, sending, webhooks] = await Promise.all([
    import('../push/push-keys.ts'),
    import('../push/subscriptions.ts'),
    import('../push/vapid.ts'),
    import('../push/post-push.ts'),
    import('../push/push-sender.ts'),
    import('../webhooks/client.ts'),
  ]);
  const { allowsPrivate } = config.webhooks;
  const client = webhooks.createWebhookClient(allowsPrivate);
  const ends = [() => client.close()];
  let authorize: ReturnType<typeof vapid.createAuthorization> | undefined;

  function startSending(): void {
    const post = posting.createPostPush({
      ...{ client, allowsPrivate, now: Date.now, userAgent: `Tayang/${version}` },
      authorize: (origin, now) => authorize?.(origin, now) ?? '',
    });
    ends.unshift(sending.startPushSender({ store, post, report, random: Math.random, now: Date.now }));
  }

  const stopFollowing = keys.followPushKeys(store, (found) => {
    if (!authorize && config.serves.refresh) startSending();
    authorize = vapid.createAuthorization(found, pushContact);
    onKey(found.publicKey);
  });
  return {
    change: subscriptions.createSubscriptions({ rows: store.subscriptions, report }),
    async stop() {
      stopFollowing();
      for (const end of ends) await end();
    },
  };
}
