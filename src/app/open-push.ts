import type { Report } from '../domain/operational-event.ts';
import type { ClientOptions } from '../outbox/client.ts';
import { createDenials } from '../outbox/push/denials.ts';
import { createPostPush } from '../outbox/push/post-push.ts';
import { followPushKeys } from '../outbox/push/push-keys.ts';
import { createPushReceiver } from '../outbox/push/push-receiver.ts';
import {
  type ChangeOutcome,
  createSubscriptions,
  type SubscriptionChange,
} from '../outbox/push/subscription.ts';
import { createAuthorization } from '../outbox/push/vapid.ts';
import type { Receiver } from '../outbox/receiver.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';

interface PushOptions extends ClientOptions {
  store: SnapshotStore;
  allowsPrivate: boolean;
  /** The address of a cover that is kept here. */
  coverOf: (slug: string) => string | undefined;
  report: Report;
}

/** Web Push, with the keys of this installation. No message is sent before they are read. */
export interface Push {
  receiver: Receiver;
  publicKey(): string | undefined;
  change(change: SubscriptionChange): Promise<ChangeOutcome>;
  stop(): void;
}

export function openPush(contact: string, options: PushOptions): Push {
  const { store, report, now } = options;
  const keysKnown = Promise.withResolvers<void>();
  let authorize: ReturnType<typeof createAuthorization> = () => '';
  let publicKey: string | undefined;
  const stopFollowing = followPushKeys(store, (keys) => {
    authorize = createAuthorization(keys, contact);
    publicKey = keys.publicKey;
    keysKnown.resolve();
  });
  const post = createPostPush({ ...options, authorize: (...of) => authorize(...of) });
  const denials = createDenials({ store, contact, report, now });
  const receiver = createPushReceiver({
    rows: store.subscriptions,
    post: async (...of) => {
      await keysKnown.promise;
      return post(...of);
    },
    coverOf: options.coverOf,
    denials,
    report,
  });
  return {
    receiver,
    publicKey: () => publicKey,
    change: createSubscriptions({ rows: store.subscriptions, report, now }),
    stop() {
      stopFollowing();
      denials.stop();
      keysKnown.resolve();
    },
  };
}
