import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Config } from './config.ts';

interface PushOptions {
  store: SnapshotStore;
  /** Called with the public key, and again if the store comes to have another one. */
  onKey: (key: string) => void;
  report: Report;
}

/**
 * Opens Web Push: follows the keys, stores subscriptions and, where this process refreshes, sends. Its modules are loaded only
 * now. `contact`: the operator's address for push services.
 */
export async function openPush(config: Config, contact: string, { store, onKey, report }: PushOptions) {
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
      ...{ client, allowsPrivate, now: Date.now, userAgent: `Tayang/${config.version}` },
      authorize: (origin, now) => authorize?.(origin, now) ?? '',
    });
    ends.unshift(sending.startPushSender({ store, post, report, random: Math.random, now: Date.now }));
  }

  const stopFollowing = keys.followPushKeys(store, (found) => {
    if (!authorize && config.serves.refresh) startSending();
    authorize = vapid.createAuthorization(found, contact);
    onKey(found.publicKey);
  });
  return {
    change: subscriptions.createSubscriptions(store.subscriptions, report),
    async stop(): Promise<void> {
      stopFollowing();
      for (const end of ends) await end();
    },
  };
}
