import { hash } from 'node:crypto';
import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import { DAY_MS } from '../domain/units.ts';
import type { WebhookState } from '../domain/webhook-state.ts';
import { type Cursor, clampToLogs, countPending, cursorAtEnd, type QueueContent } from './queue.ts';
import type { ReceiverAddress } from './receiver-address.ts';

/** A receiver that was not configured for this long is treated as a new one. */
const FORGOTTEN_MS = DAY_MS;

/** The stored state of a receiver; times in ms since 1970. */
export interface ReceiverState extends Cursor {
  /** When a sender last stored this state. */
  usedAt: number;
  /** Failed attempts since the last message that was delivered or dropped. */
  failures: number;
  failingSince: number | null;
  nextAttemptAt: number | null;
  reason: string | null;
  /** Messages that were dropped, in all. */
  dropped: number;
  isGone: boolean;
  /** Whether it was sent `source.down` and no `source.ok` since. */
  isSourceDown: boolean;
}

/** The key begins with the name of its lease. It contains a digest of the address, because that is a secret. */
export function stateKeyOf(address: ReceiverAddress): string {
  return `webhooks:${hash('sha256', JSON.stringify(address), 'hex').slice(0, 32)}`;
}

export function newReceiverState(content: QueueContent, now: number, dropped = 0): ReceiverState {
  return { ...cursorAtEnd(content), usedAt: now, ...RECOVERED, dropped, isGone: false, isSourceDown: false };
}

export const RECOVERED = { failures: 0, failingSince: null, nextAttemptAt: null, reason: null };

/** Loads the state of a receiver. A new one, one away for a day, and one that answered 410 get only later messages. */
export async function loadState(
  { values }: Pick<SnapshotStore, 'values'>,
  key: string,
  content: QueueContent,
  now: number,
): Promise<ReceiverState> {
  const stored = await values.get<ReceiverState>(key);
  const isUsable = stored && !stored.isGone && stored.usedAt > now - FORGOTTEN_MS;
  const state = isUsable
    ? { ...stored, ...clampToLogs(stored, content), usedAt: now }
    : newReceiverState(content, now, stored?.dropped);
  await values.set(key, state);
  return state;
}

export function presentState(name: string, state: ReceiverState, content: QueueContent): WebhookState {
  const { isGone, failingSince, reason, nextAttemptAt, dropped } = state;
  return {
    receiver: name,
    state: isGone ? 'gone' : failingSince === null ? 'ok' : 'failing',
    since: failingSince,
    reason,
    pending: isGone ? 0 : countPending(content, state),
    dropped,
    nextAttempt: failingSince === null ? null : nextAttemptAt,
  };
}
