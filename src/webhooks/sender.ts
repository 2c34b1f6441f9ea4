import { setTimeout as sleep } from 'node:timers/promises';
import { startLeasedJob } from '../crawler/leased-job.ts';
import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { NoticeContent } from '../domain/notice.ts';
import type { Report } from '../domain/operational-event.ts';
import { coalesce } from '../domain/serial.ts';
import type { WebhookState } from '../domain/webhook-state.ts';
import { type Deliveries, type PostWebhook, startDeliveries } from './deliveries.ts';
import type { RetryOptions } from './delivery.ts';
import { openNoticeLog, sourceNotice } from './notices.ts';
import { type QueueContent, readQueue } from './queue.ts';
import { nameReceivers, type ReceiverAddress } from './receiver-address.ts';
import { openReceiverStates } from './receiver-state.ts';

/** The queue is also read at this interval, because trouble of the source can reach an hour without a write. */
const CHECK_INTERVAL_MS = 60_000;
/** Every process hears of a loss within five seconds. */
const OTHERS_MS = 5_000;
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
  /** Appends a notice for every receiver. */
  notify(notice: NoticeContent): Promise<void>;
  states(): WebhookState[];
  stop(): Promise<void>;
}

/**
 * Sends the events and notices in the store to every receiver. Of all processes that share a store, the one with the lease
 * sends; when it ends, another one takes over. All of them follow what is sent: each can fill a store that has forgotten it.
 */
export function startWebhookSender(options: SenderOptions): WebhookSender {
  const { store, receivers, report, now } = options;
  const names = nameReceivers(receivers);
  const notices = openNoticeLog(store);
  const stored = openReceiverStates(store);
  let content: QueueContent = { epoch: '', lastEvent: 0, events: [], notices: [] };
  let deliveries: Deliveries | undefined;
  let isSending = false;

  const read = coalesce(async () => {
    if (isSending) await noteTrouble();
    await stored.follow(receivers);
    content = await readQueue(store, await notices.sync());
    deliveries?.wake();
  });

  /** Only the sender appends notices of the source, so that each is appended once. */
  async function noteTrouble(): Promise<void> {
    const notice = sourceNotice(await store.readStatus(), await notices.sync(), now());
    if (notice) await notices.append(notice, now());
  }

  async function sendWhileLeased(signal: AbortSignal, noteStart: () => void): Promise<void> {
    isSending = true;
    const watch = follow();
    try {
      if (await stored.follow(receivers)) await waitForOthers(signal);
      await read();
      deliveries = await startDeliveries({ ...options, names, stored, content: () => content });
      noteStart();
      const stop = () => void deliveries?.stop(STOP_MS);
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      await Promise.race([deliveries.ended, watch.failed]);
    } finally {
      isSending = false;
      watch.stop();
      await deliveries?.stop(STOP_MS);
      deliveries = undefined;
    }
  }

  /** After a loss, each process stores what it knows as soon as it hears of it. */
  async function waitForOthers(signal: AbortSignal): Promise<void> {
    await sleep(OTHERS_MS, undefined, { signal }).catch(() => {});
  }

  /** Reads again when the store changes, and every minute. `failed` rejects when a reading fails. */
  function follow() {
    const { promise: failed, reject } = Promise.withResolvers<never>();
    failed.catch(() => {});
    const readAgain = () => void read().catch(reject);
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

  // While another process sends, a failure is that process's to report.
  const unwatch = store.watch(() => void (isSending || read().catch(() => {})));
  const stopSending = startLeasedJob({
    ...{ store, lease: 'webhooks', doing: 'sending webhooks', report },
    work: sendWhileLeased,
  });
  return {
    notify: async (notice) => {
      await notices.append(notice, now());
      await read();
    },
    states: () => deliveries?.states() ?? names.map(standby),
    async stop() {
      unwatch();
      await stopSending();
    },
  };
}

function standby(receiver: string): WebhookState {
  return { receiver, state: 'standby', since: null, reason: null, pending: 0, dropped: 0, nextAttempt: null };
}
