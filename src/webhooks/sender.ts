import { setTimeout as sleep } from 'node:timers/promises';
import { abortAfter, startLeasedJob } from '../crawler/leased-job.ts';
import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { NoticeContent } from '../domain/notice.ts';
import type { Report } from '../domain/operational-event.ts';
import { coalesce } from '../domain/serial.ts';
import type { WebhookState } from '../domain/webhook-state.ts';
import { type Delivery, type RetryOptions, startDelivery } from './delivery.ts';
import { openNoticeLog, sourceNotice } from './notices.ts';
import type { PostOptions } from './post-webhook.ts';
import { type QueueContent, readQueue } from './queue.ts';
import { nameReceivers, type ReceiverAddress } from './receiver-address.ts';
import { openReceiverStates } from './receiver-state.ts';

/** The queue is also read at this interval, because trouble of the source can reach an hour without a write. */
const CHECK_INTERVAL_MS = 60_000;
/** Every process hears of a loss within five seconds. */
const OTHERS_MS = 5_000;
/** How long an attempt may take when the process stops. One that takes longer is aborted, and repeated after the next start. */
const STOP_MS = 2_000;

export interface SenderOptions extends PostOptions {
  store: SnapshotStore;
  receivers: readonly ReceiverAddress[];
  retry: RetryOptions;
  report: Report;
}

/**
 * Sends the events and notices in the store to every receiver. Of all processes that share a store, the one with the lease
 * sends; when it ends, another one takes over. All of them follow what is sent: each can fill a store that has forgotten it.
 */
export function startWebhookSender(options: SenderOptions) {
  const { store, receivers, report, now } = options;
  const names = nameReceivers(receivers);
  const notices = openNoticeLog(store);
  const stored = openReceiverStates(store);
  let content: QueueContent = { epoch: '', lastEvent: 0, events: [], notices: [] };
  let deliveries: Delivery[] | undefined;
  /** Undefined while another process sends: a failure is that process's to report. */
  let noteFailure: ((error: unknown) => void) | undefined;

  const read = coalesce(async () => {
    if (noteFailure) await noteTrouble();
    await stored.follow(receivers);
    content = await readQueue(store, await notices.sync());
    for (const delivery of deliveries ?? []) delivery.wake();
  });

  /** Only the sender appends notices of the source, so that each is appended once. */
  async function noteTrouble(): Promise<void> {
    const notice = sourceNotice(await store.readStatus(), await notices.sync(), now());
    if (notice) await notices.append(notice, now());
  }

  async function sendWhileLeased(_: unknown, signal: AbortSignal, noteStart: () => void): Promise<void> {
    const { promise: failed, reject } = Promise.withResolvers<never>();
    failed.catch(() => {});
    noteFailure = reject;
    const failing = new AbortController();
    try {
      if (await stored.follow(receivers)) await waitForOthers(signal);
      await read();
      const sending = await startDeliveries(AbortSignal.any([signal, failing.signal]));
      deliveries = sending;
      noteStart();
      await Promise.race([Promise.all(sending.map(({ ended }) => ended)), failed]);
    } finally {
      noteFailure = undefined;
      failing.abort();
      await Promise.allSettled(deliveries?.map(({ ended }) => ended) ?? []);
      deliveries = undefined;
    }
  }

  /** Starts a delivery to each receiver. None waits for another. */
  async function startDeliveries(ending: AbortSignal): Promise<Delivery[]> {
    const states = await Promise.all(receivers.map((address) => stored.load(address, content, now())));
    const aborting = abortAfter(ending, STOP_MS);
    return receivers.map((address, index) =>
      startDelivery({
        ...options,
        address,
        // Names and states are arrays in the order of the receivers, so each index exists.
        name: names[index]!,
        state: states[index]!,
        content: () => content,
        stored,
        ending,
        aborting,
      }),
    );
  }

  /** After a loss, each process stores what it knows as soon as it hears of it. */
  async function waitForOthers(signal: AbortSignal): Promise<void> {
    await sleep(OTHERS_MS, undefined, { signal }).catch(() => {});
  }

  const readAgain = () => void read().catch((error: unknown) => noteFailure?.(error));
  const unwatch = store.watch(readAgain);
  const timer = setInterval(readAgain, CHECK_INTERVAL_MS);
  const stopSending = startLeasedJob({
    ...{ store, name: 'webhooks', doing: 'sending webhooks', report },
    work: sendWhileLeased,
  });
  return {
    /** Appends a notice for every receiver. */
    async notify(notice: NoticeContent): Promise<void> {
      await notices.append(notice, now());
      await read();
    },
    states: (): WebhookState[] => deliveries?.map((delivery) => delivery.state()) ?? names.map(standby),
    async stop(): Promise<void> {
      unwatch();
      clearInterval(timer);
      await stopSending();
    },
  };
}

function standby(receiver: string): WebhookState {
  return { receiver, state: 'standby', since: null, reason: null, pending: 0, dropped: 0, nextAttempt: null };
}
