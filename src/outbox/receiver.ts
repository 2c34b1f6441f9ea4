import type { WebhookState } from '../domain/health.ts';
import type { OperationalEvent } from '../domain/operational-event.ts';
import { type Cursor, countPending, cursorAtEnd, type Log, skipBefore } from './cursor.ts';

/** The result of an attempt. A reason is public, so it contains no address. */
export type Outcome =
  | { type: 'delivered' }
  /** The next attempt may succeed. */
  | { type: 'failed'; reason: string; retryAfterMs?: number | undefined }
  /** This message is refused, and would be every time. */
  | { type: 'refused'; reason: string }
  /** The receiver wants no more messages. */
  | { type: 'gone'; reason: string };

export interface SendSignals {
  /** Aborted when nothing further is to be sent. */
  ending: AbortSignal;
  /** Aborted some time later, when what is under way is to be given up. */
  aborting: AbortSignal;
}

/** What is sent in one attempt, and the cursor after it. */
export interface Delivery {
  after: Cursor;
  /** What is reported when it is delivered. */
  sent?: OperationalEvent;
  /** Rejects only when its progress cannot be stored. */
  send(signals: SendSignals): Promise<Outcome>;
}

/** Whom the log is sent to: an address of WEBHOOK_URLS, or all subscriptions to Web Push. */
export interface Receiver {
  /** Its name in the stored state, which does not reveal its address. */
  key: string;
  /** Its name in the log and in /readyz. */
  name: string;
  /** What is to be sent next; undefined when nothing is. `save` stores how far a delivery has come, for the next one. */
  next(log: Log, state: ReceiverState, save: (progress: string) => Promise<void>): Delivery | undefined;
}

/** The stored state of a receiver; times in ms since 1970. */
export interface ReceiverState extends Cursor {
  /** How far the delivery under way has come; null for one that is not begun. */
  progress: string | null;
  /** Failed attempts since the last message that was delivered or dropped. */
  failures: number;
  failingSince: number | null;
  nextAttemptAt: number | null;
  reason: string | null;
  /** Messages that were dropped, in all. */
  dropped: number;
  isGone: boolean;
}

export const RECOVERED = { failures: 0, failingSince: null, nextAttemptAt: null, reason: null };

export function newReceiver(log: Log, now: number, dropped = 0): ReceiverState {
  return { ...cursorAtEnd(log, now), progress: null, ...RECOVERED, dropped, isGone: false };
}

/** A receiver that is sent again what happened since `from`, ms since 1970. */
export function lostReceiver(log: Log, from: number): ReceiverState {
  const beginning = { position: log.epoch, eventAt: 0, noticeAt: 0 };
  return { ...newReceiver(log, from), ...skipBefore(log, beginning, from) };
}

/** `state` is undefined while another process sends. */
export function presentState(receiver: string, state: ReceiverState | undefined, log: Log): WebhookState {
  const none = { since: null, reason: null, pending: 0, dropped: 0, nextAttempt: null };
  if (!state) return { receiver, state: 'standby', ...none };
  const { isGone, failingSince: since, reason, nextAttemptAt, dropped } = state;
  const pending = isGone ? 0 : countPending(log, state);
  const shown = since === null ? 'ok' : 'failing';
  const nextAttempt = since === null ? null : nextAttemptAt;
  return { receiver, state: isGone ? 'gone' : shown, since, reason, pending, dropped, nextAttempt };
}
