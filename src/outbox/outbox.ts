import type { WebhookState } from '../domain/health.ts';
import type { Report } from '../domain/operational-event.ts';
import { coalesce } from '../domain/serial.ts';
import { createAlarm } from '../store/alarm.ts';
import { startLeasedJob } from '../store/leased-job.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Lease } from '../store/store.ts';
import { type Log, readLog } from './cursor.ts';
import { startDelivering } from './deliver.ts';
import { type NoticeContent, openNoticeLog, sourceNotice } from './notices.ts';
import { type OutboxState, openOutboxState } from './outbox-state.ts';
import { presentState, type Receiver } from './receiver.ts';
import type { RetryOptions } from './retry.ts';
import { createServices } from './services.ts';

/** The log is also read at this interval, because trouble of the source can reach an hour without a write. */
const CHECK_MS = 60_000;
/** How long an attempt may take when the process stops. One that takes longer is aborted, and repeated after the next start. */
const STOP_MS = 2_000;

export interface OutboxOptions {
  store: SnapshotStore;
  receivers: readonly Receiver[];
  /** Whether trouble of the source is a notice. */
  tellsTrouble: boolean;
  retry: RetryOptions;
  /** When an answer is slow, in tests. */
  slowMs?: number;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** What is sent to others, by whichever process does that. */
export interface Outbox {
  /** Sends a notice to all receivers of notices. Rejects when it cannot be stored. */
  notify(notice: NoticeContent): Promise<void>;
  /** In the order of the receivers. */
  states(): WebhookState[];
  stop(): Promise<void>;
}

/**
 * Sends the events and notices in the store to every receiver, each in its order. Of all processes that share a store, the
 * one with the lease sends; when it ends, another one takes over. All of them read what is sent: each can go on from there
 * when the store has forgotten it.
 */
export function startOutbox(options: OutboxOptions): Outbox {
  const { store, receivers, tellsTrouble, report, now, retry, slowMs } = options;
  const notices = openNoticeLog(store);
  const known = openOutboxState({ store, report });
  let log: Log = { epoch: '', events: [], notices: [], renamed: new Map() };
  /** What this process sends; undefined while another one does. */
  let sending: OutboxState | undefined;

  const read = coalesce(async () => {
    log = await readLog(store, await notices.sync(), now());
    if (sending) await noteTrouble();
    else await known.follow();
  });

  /** Only the sender appends notices of the source, so that each is appended once. */
  async function noteTrouble(): Promise<void> {
    const { health } = await store.readStatus();
    const notice = tellsTrouble ? sourceNotice(health, log.notices, now()) : undefined;
    if (notice) await append(notice);
  }

  async function append(notice: NoticeContent): Promise<void> {
    log = { ...log, notices: await notices.append(notice, now()) };
  }

  async function send(lease: Lease, signal: AbortSignal, noteStart: () => void): Promise<void> {
    const alarm = createAlarm(store, CHECK_MS, signal);
    const failing = new AbortController();
    const ending = AbortSignal.any([signal, failing.signal]);
    const services = createServices({ slowMs });
    const giveUp = new AbortController();
    ending.addEventListener('abort', () => setTimeout(() => giveUp.abort(), STOP_MS).unref());
    try {
      await read();
      sending = await known.take({ lease, receivers, log, now: now(), signal });
      const shared = {
        state: sending,
        log: () => log,
        isHeld: lease.isHeld,
        services,
        retry,
        report,
        now,
        ending,
        aborting: giveUp.signal,
      };
      const deliveries = receivers.map((receiver) => startDelivering({ ...shared, receiver }));
      noteStart();
      const ended = Promise.all(deliveries.map((one) => one.ended)).finally(() => failing.abort());
      ended.catch(() => {});
      failing.signal.addEventListener('abort', alarm.ring);
      while (!ending.aborted) {
        await Promise.all(deliveries.map((one) => one.refill()));
        for (const one of deliveries) one.wake();
        await alarm.wait();
        await Promise.all([read(), sending.restore()]);
      }
      await ended;
    } finally {
      failing.abort();
      services.stop();
      alarm.stop();
      sending = undefined;
    }
  }

  const unwatch = store.watch(() => void (sending ?? read().catch(() => {})));
  const stop = startLeasedJob({ store, name: 'outbox', doing: 'sending messages', report, work: send });
  return {
    notify: append,
    states: () => receivers.map(({ key, name }) => presentState(name, sending?.of(key), log)),
    async stop() {
      unwatch();
      await stop();
    },
  };
}
