import { setTimeout as sleep } from 'node:timers/promises';
import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { Report } from '../domain/operational-event.ts';
import type { WebhookState } from '../domain/webhook-state.ts';
import { type Deliveries, type PostWebhook, startDeliveries } from './deliveries.ts';
import { createQueueReader, type QueueReader } from './queue-reader.ts';
import { nameReceivers, type ReceiverAddress } from './receiver-address.ts';
import type { RetryOptions } from './retry-times.ts';

/** How often a process that does not send tries to take over, and the wait after the store failed. */
const LEASE_ATTEMPT_MS = 2_000;
/** The queue is also read at this interval, because trouble of the source can reach an hour without a write. */
const CHECK_INTERVAL_MS = 60_000;
/** How long `stop` waits for attempts. One that takes longer is aborted, and repeated after the next start. */
const STOP_MS = 2_000;

export interface SenderOptions {
  store: SnapshotStore;
  receivers: readonly ReceiverAddress[];
  /** Makes one attempt. Never rejects. */
  post: PostWebhook;
  retry: RetryOptions;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

interface WebhookSender {
  states(): WebhookState[];
  stop(): Promise<void>;
}

/**
 * Sends the events and notices in the store to every receiver. Of all processes that share a store, the one with the lease
 * sends; when it ends, another one takes over.
 */
export function startWebhookSender(options: SenderOptions): WebhookSender {
  const { store, receivers, report } = options;
  const names = nameReceivers(receivers);
  const reader = createQueueReader(options);
  const stopping = new AbortController();
  let deliveries: Deliveries | undefined;
  let hasFailed = false;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sendWhileLeased().catch(noteFailure);
      await sleep(LEASE_ATTEMPT_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function sendWhileLeased(): Promise<void> {
    const release = await store.lease('webhooks');
    if (!release) return;
    const watch = followStore(store, reader, () => deliveries?.wake());
    try {
      await reader.read();
      deliveries = await startDeliveries({ ...options, names, content: reader.content });
      hasFailed = false;
      if (stopping.signal.aborted) deliveries.stop(STOP_MS);
      await Promise.race([deliveries.ended, watch.failed]);
    } finally {
      watch.stop();
      await deliveries?.stop(STOP_MS);
      deliveries = undefined;
      await release();
    }
  }

  function noteFailure(error: unknown): void {
    if (!hasFailed) report({ type: 'store-failed', doing: 'sending webhooks', error });
    hasFailed = true;
  }

  const ended = run();
  return {
    states: () => deliveries?.states() ?? names.map(standby),
    async stop() {
      stopping.abort();
      await deliveries?.stop(STOP_MS);
      await ended;
    },
  };
}

/** Reads the queue again when the store changes, and every minute. `failed` rejects when a reading fails. */
function followStore(store: SnapshotStore, { read }: QueueReader, onRead: () => void) {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  const readAgain = () => void read().then(onRead, reject);
  const unwatch = store.watch(readAgain);
  const timer = setInterval(readAgain, CHECK_INTERVAL_MS);
  return {
    failed,
    stop() {
      unwatch();
      clearInterval(timer);
    },
  };
}

function standby(receiver: string): WebhookState {
  return { receiver, state: 'standby', since: null, reason: null, pending: 0, dropped: 0, nextAttempt: null };
}
