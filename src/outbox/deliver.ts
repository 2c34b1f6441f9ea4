import type { Report } from '../domain/operational-event.ts';
import { DAY_MS } from '../domain/units.ts';
import { countPending, type Log, skipBefore } from './cursor.ts';
import type { OutboxState } from './outbox-state.ts';
import {
  type Delivery,
  newReceiver,
  type Outcome,
  RECOVERED,
  type Receiver,
  type ReceiverState,
  type SendSignals,
  type Session,
} from './receiver.ts';
import { MAX_RETRY_AFTER_MS, type RetryOptions, retryWaitMs } from './retry.ts';
import type { Services } from './services.ts';

/** After a failure, all messages that are older than this are dropped. */
const MAX_AGE_MS = DAY_MS;

interface DeliverOptions extends SendSignals {
  receiver: Receiver;
  state: OutboxState;
  log: () => Log;
  isHeld: () => Promise<boolean>;
  services: Services;
  retry: RetryOptions;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** The deliveries to one receiver. */
export interface Deliveries {
  /** Looks for messages, after the log has changed. */
  wake(): void;
  /** Stores again what the store has forgotten of the receiver. */
  refill(): Promise<void>;
  /**
   * Resolves once nothing is under way after `ending`. Rejects when the state cannot be stored, and when another process
   * sends meanwhile.
   */
  ended: Promise<void>;
}

/**
 * Sends what a receiver has not got, one delivery at a time and in their order. Stores the state after each, so that a crash
 * repeats at most one.
 */
export function startDelivering(options: DeliverOptions): Deliveries {
  const { receiver, state: stored, log, retry, report, now, ending, aborting } = options;
  const { key, name: receiverName } = receiver;
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  ending.addEventListener('abort', wake);

  // The states of all receivers were stored before their deliveries start.
  const read = () => stored.of(key) as ReceiverState;
  const session: Session = {
    ...options,
    state: read,
    save: (changes) => stored.save(key, { ...read(), ...changes }),
  };
  const sending = receiver.open(session);

  async function run(): Promise<void> {
    while (!ending.aborted) {
      woken = Promise.withResolvers();
      const state = read();
      const delivery = state.isGone ? undefined : sending.next();
      // A time that is further away was stored before the clock was set back.
      const waitMs = Math.min((state.nextAttemptAt ?? 0) - now(), MAX_RETRY_AFTER_MS);
      if (delivery && waitMs <= 0) await attempt(delivery);
      else await pause(delivery ? waitMs : Infinity);
    }
  }

  async function attempt(delivery: Delivery): Promise<void> {
    if (!(await options.isHeld())) throw new Error('another process has taken over the sending');
    const outcome = await delivery.send({ ending, aborting });
    if (ending.aborted && outcome.type === 'failed') return;
    await stored.save(key, stateAfter(read(), delivery, outcome));
  }

  function stateAfter(state: ReceiverState, { after, sent }: Delivery, outcome: Outcome): ReceiverState {
    const done = { ...state, ...after, progress: null, ...RECOVERED };
    switch (outcome.type) {
      case 'delivered':
        if (sent) report(sent);
        if (state.failingSince !== null)
          report({ type: 'webhook-restored', receiver: receiverName, downMs: now() - state.failingSince });
        return outcome.waitMs ? { ...done, nextAttemptAt: now() + outcome.waitMs } : done;
      case 'refused':
        report({ type: 'webhook-dropped', receiver: receiverName, count: 1, reason: outcome.reason });
        return { ...done, dropped: state.dropped + 1 };
      case 'gone':
        report({ type: 'webhook-gone', receiver: receiverName });
        return { ...newReceiver(log(), now(), state.dropped), isGone: true, reason: outcome.reason };
      case 'failed':
        return dropOld(noteFailure(state, outcome), outcome.reason);
    }
  }

  function noteFailure(state: ReceiverState, failed: Extract<Outcome, { type: 'failed' }>): ReceiverState {
    const { reason, retryAfterMs = 0 } = failed;
    const failures = state.failures + 1;
    const retryInMs = retryWaitMs(failures, retryAfterMs, retry);
    const isNews = state.failingSince === null;
    const failingSince = state.failingSince ?? now();
    const nextAttemptAt = now() + retryInMs;
    report({ type: 'webhook-failed', receiver: receiverName, reason, retryInMs, isNews });
    return { ...state, failures, failingSince, reason, nextAttemptAt };
  }

  function dropOld(state: ReceiverState, reason: string): ReceiverState {
    const cursor = skipBefore(log(), state, now() - MAX_AGE_MS);
    const count = countPending(log(), state) - countPending(log(), cursor);
    if (count > 0) report({ type: 'webhook-dropped', receiver: receiverName, count, reason });
    return { ...state, ...cursor, dropped: state.dropped + count };
  }

  /** Resolves at once when it was woken since it last looked for messages. */
  async function pause(waitMs: number): Promise<void> {
    const timer = Number.isFinite(waitMs) ? setTimeout(wake, waitMs) : undefined;
    await woken.promise;
    clearTimeout(timer);
  }

  return {
    wake,
    refill: async () => sending.refill?.(),
    ended: run().then(() => sending.end?.()),
  };
}
