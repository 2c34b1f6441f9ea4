import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { OperationalEvent, Report } from '../domain/operational-event.ts';
import type { WebhookState } from '../domain/webhook-state.ts';
import type { Config } from './config.ts';

/** What the crawler's thread needs of the sender of webhooks. */
interface Webhooks {
  states(): WebhookState[];
  /** Sends a notice of what happened elsewhere in this process, if receivers are to know it. */
  onEvent(event: OperationalEvent): void;
  stop(): Promise<void>;
}

const NONE: Webhooks = { states: () => [], onEvent: () => {}, stop: async () => {} };

interface WebhooksOptions {
  store: SnapshotStore;
  /** The public origin of the uploads. */
  uploadsUrl: string;
  report: Report;
}

/** Starts to send webhooks, where receivers are configured. The modules are loaded only there. */
export async function openWebhooks(
  config: Config,
  { store, uploadsUrl, report }: WebhooksOptions,
): Promise<Webhooks> {
  const { receivers, secret, allowsPrivate } = config.webhooks;
  if (receivers.length === 0 || !config.serves.refresh) return NONE;
  const [{ createWebhookClient }, { startWebhookSender }] = await Promise.all([
    import('../webhooks/client.ts'),
    import('../webhooks/sender.ts'),
  ]);
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
    onEvent(event) {
      if (event.type !== 'file-reported' || event.earlier > 0) return;
      const { id, reason, note } = event;
      const data = { id, reason, note, link: `${uploadsUrl}/${id}` };
      sender
        .notify({ type: 'upload.reported', data })
        .catch((error: unknown) =>
          report({ type: 'store-failed', doing: 'queueing a notice for the webhooks', error }),
        );
    },
    async stop() {
      await sender.stop();
      await client.close();
    },
  };
}
