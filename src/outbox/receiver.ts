import type { WebhookState } from '../domain/health.ts';
import type { OperationalEvent, Report } from '../domain/operational-event.ts';
import { type Cursor, countPending, cursorAtEnd, type Log, skipBefore } from './cursor.ts';
import type { RetryOptions } from './retry.ts';
import type { Services } from './services.ts';

/** The result of an attempt. A reason is public, so it contains no address. `waitMs`: the receiver takes no further message before. */
export type Outcome =
  | { type: 'delivered'; waitMs?: number | undefined }
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

/** Whom the log is sent to: an address of WEBHOOK_URLS, all subscriptions to Web Push, or all channels. */
export interface Receiver {
  /** Its name in the stored state, which does not reveal its address. */
  key: string;
  /** Its name in the log and in /readyz. */
  name: string;
  /** Begins to send, under the lease. */
  open(session: Session): Sending;
}

/** What a receiver works with while this process sends. */
export interface Session extends SendSignals {
  log(): Log;
  state(): ReceiverState;
  /** Stores changes of the state. */
  save(changes: Partial<ReceiverState>): Promise<void>;
  /** Whether no other process has taken over the sending. */
  isHeld(): Promise<boolean>;
  services: Services;
  retry: RetryOptions;
  report: Report;
  /** Wall clock, ms since 1970. */
  now(): number;
}

export interface Sending {
  /** What is to be sent next; undefined when nothing is. */
  next(): Delivery | undefined;
  /** Called when the store has forgotten what it had of the receivers. */
  refill?(): Promise<void>;
  /** Resolves once nothing is under way, and that is stored. `ending` was aborted before. */
  end?(): Promise<void>;
}

/** The stored state of a receiver; times in ms since 1970. */
export interface ReceiverState extends Cursor {
  /** How far the delivery under way has come; null for one that is not begun. */
  progress: string | null;
  /** The recipients of a receiver that are not where its cursor is. */
  behind?: readonly Behind[];
  /** Failed attempts since the last message that was delivered or dropped. */
  failures: number;
  failingSince: number | null;
  nextAttemptAt: number | null;
  reason: string | null;
  /** Messages that were dropped, in all. */
  dropped: number;
  isGone: boolean;
}

/** Recipients, by the keys of their rows, with the cursor that they share. */
export interface Behind extends Cursor {
  keys: readonly string[];
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
