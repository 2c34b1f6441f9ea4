import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { NoticeContent } from '../domain/notice.ts';
import type { Report } from '../domain/operational-event.ts';
import type { WebhookState } from '../domain/webhook-state.ts';
import type { Config } from './config.ts';

/** What the crawler's thread needs of the sender of webhooks. */
interface Webhooks {
  states(): WebhookState[];
  /** Appends a notice to the queue of every receiver. Never rejects: a store that fails is reported. */
  sendNotice(notice: NoticeContent): Promise<void>;
  stop(): Promise<void>;
}

const NONE: Webhooks = { states: () => [], sendNotice: async () => {}, stop: async () => {} };

/** Starts to send webhooks, where receivers are configured. The modules are loaded only there. */
export async function openWebhooks(config: Config, store: SnapshotStore, report: Report): Promise<Webhooks> {
  const { receivers, secret, allowsPrivate } = config.webhooks;
  if (receivers.length === 0 || !config.serves.refresh) return NONE;
  const [{ createWebhookClient }, { appendNotice }, { postWebhook }, { startWebhookSender }] =
    await Promise.all([
      import('../webhooks/client.ts'),
      import('../webhooks/notices.ts'),
      import('../webhooks/post-webhook.ts'),
      import('../webhooks/sender.ts'),
    ]);
  const client = createWebhookClient(allowsPrivate);
  const options = { client, secret, userAgent: `Tayang/${config.version}`, now: Date.now };
  const sender = startWebhookSender({
    store,
    receivers,
    report,
    now: Date.now,
    retry: { random: Math.random },
    post: (address, message, signal) => postWebhook(address, message, options, signal),
  });
  return {
    states: sender.states,
    async sendNotice(notice) {
      await appendNotice(store, () => notice, Date.now()).catch((error: unknown) =>
        report({ type: 'store-failed', doing: 'queueing a notice for the webhooks', error }),
      );
    },
    async stop() {
      await sender.stop();
      await client.close();
    },
  };
}
