import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/units.ts';
import type { WebhookState } from '../domain/webhook-state.ts';
import type { Message } from './message.ts';
import { type Outcome, postWebhook } from './post-webhook.ts';
import {
  countPending,
  nextMessage,
  type QueueContent,
  type Queued,
  skipBefore,
  toCurrentEpoch,
} from './queue.ts';
import type { ReceiverAddress } from './receiver-address.ts';
import {
  newReceiverState,
  presentState,
  RECOVERED,
  type ReceiverState,
  type ReceiverStates,
} from './receiver-state.ts';
import type { SenderOptions } from './sender.ts';

/** After a failure, all messages that are older than this are dropped. */
const MAX_AGE_MS = DAY_MS;
const FIRST_MS = 5_000;
const MAX_MS = 30 * MINUTE_MS;
/** A longer Retry-After is cut to this. */
export const MAX_RETRY_AFTER_MS = 6 * HOUR_MS;
/** Spreads the attempts of many senders. */
const JITTER = 0.2;

export interface RetryOptions {
  /** The wait after the first failure; it doubles with each further one, up to half an hour. */
  firstMs?: number;
  /** From 0 to 1. */
  random: () => number;
}

interface DeliveryOptions extends SenderOptions {
  address: ReceiverAddress;
  name: string;
  state: ReceiverState;
  /** Returns the current events and notices. */
  content: () => QueueContent;
  stored: ReceiverStates;
  /** Aborted when no further attempt is to be made. */
  ending: AbortSignal;
  /** Aborted when an attempt under way is to be given up. */
  aborting: AbortSignal;
}

/** Sends messages to one receiver, one at a time and in their order. */
export interface Delivery {
  /** Looks for messages at once. */
  wake(): void;
  state(): WebhookState;
  /** Rejects when the state cannot be stored, and when another process sends meanwhile, as after this one was frozen. */
  ended: Promise<void>;
}

/** Starts to send. Stores the state after each message, so that a crash repeats at most one. */
export function startDelivery(options: DeliveryOptions): Delivery {
  const { store, address, name, content, stored, report, now, ending, aborting } = options;
  let state = options.state;
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  ending.addEventListener('abort', wake);

  async function run(): Promise<void> {
    while (!ending.aborted) {
      woken = Promise.withResolvers();
      const nextAttemptAt = clampNextAttempt(state.nextAttemptAt, now());
      state = { ...state, ...toCurrentEpoch(state, content(), state.usedAt), nextAttemptAt };
      const queued = state.isGone ? undefined : nextMessage(content(), state);
      const waitMs = queued ? (nextAttemptAt ?? 0) - now() : Infinity;
      if (queued && waitMs <= 0) await attempt(queued);
      else await pause(waitMs);
    }
  }

  async function attempt(queued: Queued): Promise<void> {
    if (!(await store.holds('webhooks')))
      throw new Error('another process has taken over the sending of webhooks');
    const outcome = await postWebhook(address, queued.message, options, aborting);
    if (aborting.aborted && outcome.type === 'failed') return;
    state = { ...stateAfter(queued, outcome), usedAt: now() };
    await stored.save(address, state);
  }

  function stateAfter({ message, after }: Queued, outcome: Outcome): ReceiverState {
    switch (outcome.type) {
      case 'delivered':
        return noteDelivery({ ...state, ...after }, message);
      case 'refused':
        report({ type: 'webhook-dropped', receiver: name, count: 1, reason: outcome.reason });
        return { ...state, ...after, ...RECOVERED, dropped: state.dropped + 1 };
      case 'gone':
        report({ type: 'webhook-gone', receiver: name });
        return { ...newReceiverState(content(), now(), state.dropped), isGone: true, reason: outcome.reason };
      case 'failed':
        return dropOld(noteFailure(outcome), outcome.reason);
    }
  }

  function noteDelivery(delivered: ReceiverState, { type }: Message): ReceiverState {
    report({ type: 'webhook-sent', receiver: name, message: type });
    if (state.failingSince === null) return delivered;
    report({ type: 'webhook-restored', receiver: name, downMs: now() - state.failingSince });
    return { ...delivered, ...RECOVERED };
  }

  function noteFailure({ reason, retryAfterMs = 0 }: Extract<Outcome, { type: 'failed' }>): ReceiverState {
    const failures = state.failures + 1;
    const retryInMs = retryWaitMs(failures, retryAfterMs, options.retry);
    const failingSince = state.failingSince ?? now();
    const failed = { ...state, failures, failingSince, reason, nextAttemptAt: now() + retryInMs };
    report({ type: 'webhook-failed', receiver: name, reason, retryInMs, isNews: failures === 1 });
    return failed;
  }

  function dropOld(failed: ReceiverState, reason: string): ReceiverState {
    const cursor = skipBefore(content(), failed, now() - MAX_AGE_MS);
    const count = countPending(content(), failed) - countPending(content(), cursor);
    if (count > 0) report({ type: 'webhook-dropped', receiver: name, count, reason });
    return { ...failed, ...cursor, dropped: failed.dropped + count };
  }

  /** Resolves after a time, and at once when it was woken since it last looked for messages. */
  async function pause(waitMs: number): Promise<void> {
    const timer = Number.isFinite(waitMs) ? setTimeout(wake, waitMs) : undefined;
    await woken.promise;
    clearTimeout(timer);
  }

  return { wake, state: () => presentState(name, state, content()), ended: run() };
}

/** Returns the wait after a number of failures in a row; it is not shorter than the one that the receiver asks for. */
export function retryWaitMs(
  failures: number,
  retryAfterMs: number,
  { firstMs = FIRST_MS, random }: RetryOptions,
): number {
  const backoffMs = Math.min(firstMs * 2 ** (failures - 1), MAX_MS);
  return Math.max(
    Math.round(backoffMs * (1 + JITTER * random())),
    Math.min(retryAfterMs, MAX_RETRY_AFTER_MS),
  );
}

/** Moves an attempt that is further away than the longest wait: the clock has been set back since it was planned. */
export function clampNextAttempt(nextAttemptAt: number | null, now: number): number | null {
  return nextAttemptAt && Math.min(nextAttemptAt, now + MAX_RETRY_AFTER_MS);
}
