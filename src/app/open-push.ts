import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { Report } from '../domain/operational-event.ts';
import { createPostPush } from '../push/post-push.ts';
import { followPushKeys } from '../push/push-keys.ts';
import { startPushSender } from '../push/push-sender.ts';
import { createSubscriptions } from '../push/subscriptions.ts';
import { createAuthorization } from '../push/vapid.ts';
import { createWebhookClient } from '../webhooks/client.ts';
import type { Config } from './config.ts';

interface PushOptions {
  store: SnapshotStore;
  /** Called with the public key, and again if the store comes to have another one. */
  onKey: (key: string) => void;
  report: Report;
}

/**
 * Opens Web Push: follows the keys, stores subscriptions and, where this process refreshes, sends. `contact`: the operator's
 * address for push services.
 */
export function openPush(config: Config, contact: string, { store, onKey, report }: PushOptions) {
  const { allowsPrivate } = config.webhooks;
  const client = createWebhookClient(allowsPrivate);
  let authorize: ReturnType<typeof createAuthorization> | undefined;
  let stopSending: (() => Promise<void>) | undefined;
  const post = createPostPush({
    ...{ client, allowsPrivate, now: Date.now, userAgent: `Tayang/${config.version}` },
    authorize: (origin, now) => authorize?.(origin, now) ?? '',
  });
  const stopFollowing = followPushKeys(store, (found) => {
    authorize = createAuthorization(found, contact);
    if (config.serves.refresh)
      stopSending ??= startPushSender({ store, post, report, random: Math.random, now: Date.now });
    onKey(found.publicKey);
  });
  return {
    change: createSubscriptions(store.subscriptions, report),
    async stop(): Promise<void> {
      stopFollowing();
      await stopSending?.();
      await client.close();
    },
  };
}
