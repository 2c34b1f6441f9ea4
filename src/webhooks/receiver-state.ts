import { hash } from 'node:crypto';
import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import { DAY_MS } from '../domain/units.ts';
import type { WebhookState } from '../domain/webhook-state.ts';
import {
  type Cursor,
  countPending,
  cursorAtEnd,
  type QueueContent,
  skipBefore,
  toCurrentEpoch,
} from './queue.ts';
import type { ReceiverAddress } from './receiver-address.ts';

/** A receiver that comes back to the configuration gets no messages that are older than this. */
const MAX_AGE_MS = DAY_MS;

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
}

export const RECOVERED = { failures: 0, failingSince: null, nextAttemptAt: null, reason: null };

export function newReceiverState(content: QueueContent, now: number, dropped = 0): ReceiverState {
  return { ...cursorAtEnd(content), usedAt: now, ...RECOVERED, dropped, isGone: false };
}

export type ReceiverStates = ReturnType<typeof openReceiverStates>;

/** The states of the receivers, as this process or the store knows them: whichever has got further. */
export function openReceiverStates({ values }: Pick<SnapshotStore, 'values'>) {
  const known = new Map<string, ReceiverState>();

  async function read(key: string) {
    const stored = await values.get<ReceiverState>(key);
    const here = known.get(key);
    const latest = stored && here ? later(stored, here) : (stored ?? here);
    if (latest) known.set(key, latest);
    return { latest, isForgotten: latest !== stored };
  }

  async function save(address: ReceiverAddress, state: ReceiverState): Promise<void> {
    const key = stateKeyOf(address);
    // What was delivered is known here although the store may fail.
    known.set(key, state);
    await values.set(key, state);
  }

  return {
    /** A new receiver, and one that answered 410, get only later messages. `now`: ms since 1970. */
    async load(address: ReceiverAddress, content: QueueContent, now: number): Promise<ReceiverState> {
      const { latest } = await read(stateKeyOf(address));
      const state =
        latest && !latest.isGone
          ? { ...latest, ...currentCursor(latest, content, now), usedAt: now }
          : newReceiverState(content, now, latest?.dropped);
      await save(address, state);
      return state;
    },
    save,
    /**
     * Learns what the process that sends has stored, and stores again what the store has forgotten. Resolves with whether it
     * had forgotten anything: another process may know more then.
     */
    async follow(addresses: readonly ReceiverAddress[]): Promise<boolean> {
      let hasForgotten = false;
      for (const key of addresses.map(stateKeyOf)) {
        const { latest, isForgotten } = await read(key);
        if (isForgotten) await values.set(key, latest);
        hasForgotten ||= isForgotten;
      }
      return hasForgotten;
    },
  };
}

function currentCursor(state: ReceiverState, content: QueueContent, now: number): Cursor {
  return skipBefore(content, toCurrentEpoch(state, content, state.usedAt), now - MAX_AGE_MS);
}

/** The state that has got further; of two with one cursor, or in two epochs, the one that was stored later. */
function later(one: ReceiverState, other: ReceiverState): ReceiverState {
  const isComparable = one.epoch === other.epoch;
  const gained = one.event - other.event || one.notice - other.notice;
  return (isComparable && gained ? gained : one.usedAt - other.usedAt) >= 0 ? one : other;
}

/** The key begins with the name of its lease. It contains a digest of the address, because that is a secret. */
export function stateKeyOf(address: ReceiverAddress): string {
  return `webhooks:${hash('sha256', JSON.stringify(address), 'hex').slice(0, 32)}`;
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
