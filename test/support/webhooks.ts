import type { ReceiverAddress } from '../../src/outbox/webhooks/receiver-address.ts';
import { createWebhookReceivers } from '../../src/outbox/webhooks/webhook-receiver.ts';
import type { Defer } from './defer.ts';
import { type OutboxSettings, openOutboxScene, type ReceiverOptions } from './outbox.ts';
import { eventually } from './service.ts';

/** The public origin of the listing. */
export const LISTING_URL = 'https://tayang.example';

/** An outbox that sends to these receivers, once it follows the events. */
export async function openTestOutbox(
  defer: Defer,
  receivers: readonly (string | ReceiverAddress)[],
  { secret = null, ...settings }: OutboxSettings & { secret?: string | null } = {},
) {
  const addresses = receivers.map(
    (one): ReceiverAddress => (typeof one === 'string' ? { kind: 'standard', url: one } : one),
  );
  const eventContext = () => ({ url: LISTING_URL });
  const create = (options: ReceiverOptions) => ({
    receivers: createWebhookReceivers(addresses, { ...options, secret, eventContext, timeoutMs: 2_000 }),
  });
  const scene = await openOutboxScene(defer, create, settings);
  const outbox = scene.start();
  const isSending = () => outbox.states().every(({ state }) => state !== 'standby');
  await eventually(async () => isSending(), Boolean);
  return {
    ...scene,
    outbox,
    async whenSent() {
      await scene.whenSent();
      return outbox.states();
    },
  };
}
