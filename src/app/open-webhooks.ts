import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { OperationalEvent, Report } from '../domain/operational-event.ts';
import { createWebhookClient } from '../webhooks/client.ts';
import { startWebhookSender } from '../webhooks/sender.ts';
import type { Config } from './config.ts';

interface WebhooksOptions {
  store: SnapshotStore;
  /** The public origin of the uploads. */
  uploadsUrl: string;
  report: Report;
}

/** Starts to send webhooks. */
export function openWebhooks(config: Config, { store, uploadsUrl, report }: WebhooksOptions) {
  const { receivers, secret, allowsPrivate } = config.webhooks;
  const client = createWebhookClient(allowsPrivate);
  const sender = startWebhookSender({
    store,
    receivers,
    client,
    secret,
    userAgent: `Tayang/${config.version}`,
    retry: { random: Math.random },
    report,
    now: Date.now,
  });
  return {
    states: sender.states,
    /** Sends a notice of what happened elsewhere in this process, if receivers are to know it. */
    onEvent(event: OperationalEvent): void {
      if (event.type !== 'file-reported' || event.earlier > 0) return;
      const { id, reason, note } = event;
      const data = { id, reason, note, link: `${uploadsUrl}/${id}` };
      sender
        .notify({ type: 'upload.reported', data })
        .catch((error: unknown) =>
          report({ type: 'store-failed', doing: 'queueing a notice for the webhooks', error }),
        );
    },
    async stop(): Promise<void> {
      await sender.stop();
      await client.close();
    },
  };
}
