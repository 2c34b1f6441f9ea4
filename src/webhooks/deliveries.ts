import { HOUR_MS } from '../domain/units.ts';
import type { WebhookState } from '../domain/webhook-state.ts';
import { type Delivery, startDelivery } from './delivery.ts';
import type { Message } from './message.ts';
import type { Outcome } from './post-webhook.ts';
import type { QueueContent } from './queue.ts';
import type { ReceiverAddress } from './receiver-address.ts';
import type { ReceiverStates } from './receiver-state.ts';
import type { SenderOptions } from './sender.ts';

/** An unchanged state is stored at this interval, which shows that the receiver is still configured. */
const SAVE_INTERVAL_MS = HOUR_MS;

export type PostWebhook = (
  address: ReceiverAddress,
  message: Message,
  signal: AbortSignal,
) => Promise<Outcome>;

/** The deliveries to all receivers, while this process has the lease for sending. */
export interface Deliveries {
  wake(): void;
  states(): WebhookState[];
  /** Starts no more attempts, and aborts those that take longer than `graceMs`. Resolves when all have ended. */
  stop(graceMs: number): Promise<void>;
  /** Resolves after `stop`; rejects when a state cannot be stored, as when the lease was lost. */
  ended: Promise<void>;
}

interface DeliveriesOptions extends SenderOptions {
  names: readonly string[];
  content: () => QueueContent;
  stored: ReceiverStates;
}

/** Starts a delivery to each receiver. None waits for another. */
export async function startDeliveries(options: DeliveriesOptions): Promise<Deliveries> {
  const { store, receivers, names, content, stored, post, now } = options;
  const aborting = new AbortController();
  const states = await Promise.all(receivers.map((address) => stored.load(address, content(), now())));
  const deliveries = receivers.map((address, index): Delivery => {
    return startDelivery(
      {
        ...options,
        // Names and states are arrays in the order of the receivers, so each index exists.
        name: names[index]!,
        state: states[index]!,
        save: (state) => stored.save(address, state),
        checkLease,
        post: (message, signal) => post(address, message, signal),
      },
      aborting.signal,
    );
  });
  async function checkLease(): Promise<void> {
    if (!(await store.holds('webhooks')))
      throw new Error('another process has taken over the sending of webhooks');
  }

  const ended = Promise.all(deliveries.map((delivery) => delivery.ended)).then(() => {});
  ended.catch(() => {});
  const touching = setInterval(() => {
    for (const delivery of deliveries) delivery.touch();
  }, SAVE_INTERVAL_MS);

  return {
    wake() {
      for (const delivery of deliveries) delivery.wake();
    },
    states: () => deliveries.map((delivery) => delivery.state()),
    async stop(graceMs) {
      clearInterval(touching);
      for (const delivery of deliveries) delivery.stop();
      const grace = setTimeout(() => aborting.abort(), graceMs);
      await Promise.allSettled(deliveries.map((delivery) => delivery.ended));
      clearTimeout(grace);
    },
    ended,
  };
}
