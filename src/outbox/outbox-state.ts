import { isDeepStrictEqual } from 'node:util';
import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { Lease, Store } from '../crawler/store.ts';
import { coalesce } from '../domain/serial.ts';
import { DAY_MS } from '../domain/units.ts';
import { type Cursor, type Log, moveTo, skipBefore } from './cursor.ts';
import { newReceiver, type Receiver, type ReceiverState } from './receiver.ts';

const KEY = 'outbox';
/** A receiver that comes back gets no messages that are older than this. */
const MAX_AGE_MS = DAY_MS;

interface Stored {
  /** Rises with each write: of two states, the one with the higher revision knows more. */
  revision: number;
  receivers: Readonly<Record<string, ReceiverState>>;
}

/** The states of the receivers while this process sends. */
export interface OutboxState {
  of(key: string): ReceiverState | undefined;
  /** Stores the state of a receiver. What was delivered is known here although the store may fail. */
  save(key: string, state: ReceiverState): Promise<void>;
  /** Stores the states again where the store has forgotten them. */
  restore(): Promise<void>;
}

/** The states of all receivers, one value in the store, as this process or the store knows them: whichever knows more. */
export function openOutboxState({ values }: Pick<SnapshotStore, 'values'>) {
  let known: Stored = { revision: 0, receivers: {} };

  /** Resolves with whether the store has what is known. */
  async function follow(): Promise<boolean> {
    const stored = await values.get<Stored>(KEY);
    if (stored && stored.revision >= known.revision) known = stored;
    return known.revision === stored?.revision;
  }

  return {
    follow,
    /** A new receiver, and one that was gone, get only later messages. `now`: ms since 1970. */
    async take(lease: Lease, receivers: readonly Receiver[], log: Log, now: number): Promise<OutboxState> {
      const write = coalesce(() => lease.write({ [KEY]: known }));
      const save = (states: Record<string, ReceiverState>): Promise<void> => {
        known = { revision: known.revision + 1, receivers: { ...known.receivers, ...states } };
        return write();
      };
      const isStored = await follow();
      const states: Record<string, ReceiverState> = {};
      for (const { key } of receivers) {
        const state = known.receivers[key] ?? (await readFormerState(values, key, log));
        states[key] =
          state && !state.isGone
            ? { ...state, ...skipBefore(log, state, now - MAX_AGE_MS) }
            : newReceiver(log, now, state?.dropped);
      }
      // A revision that says nothing new would hide from this process what another one delivers on a store that has lost it.
      const isNews = Object.entries(states).some(
        ([key, state]) => !isDeepStrictEqual(state, known.receivers[key]),
      );
      if (isNews) await save(states);
      else if (!isStored) await write();
      return {
        of: (key) => known.receivers[key],
        save: (key, state) => save({ [key]: state }),
        async restore() {
          if (!(await follow())) await write();
        },
      };
    },
  };
}

/** A state of version 0.1.0, in a value of its own for each receiver. */
interface FormerState extends Partial<Omit<ReceiverState, keyof Cursor | 'progress'>> {
  epoch?: string;
  /** The number of the last event. */
  event: number;
  /** The time of the last notice, or in the first form its number. */
  notice: number;
  usedAt: number;
  /** In the first form. */
  isSourceDown?: boolean;
}

/** Times are larger than any number of a notice. */
const FIRST_TIME = 1e9;

/** Reads what an earlier version stored of a receiver; undefined where it did not know it. */
export async function readFormerState(
  values: Store['values'],
  key: string,
  log: Log,
): Promise<ReceiverState | undefined> {
  const stored = await values.get<FormerState>(key === 'push' ? 'push:progress' : `webhooks:${key}`);
  if (!stored) return undefined;
  const { epoch = log.epoch, event: number, notice, usedAt, isSourceDown: _, ...state } = stored;
  const event = epoch === log.epoch ? log.events.find((one) => one.number === number) : undefined;
  const notices: readonly { at: number; number?: number }[] = log.notices;
  const isTime = notice === 0 || notice > FIRST_TIME;
  const noticeAt = isTime ? notice : (notices.find((one) => one.number === notice)?.at ?? usedAt);
  const cursor = moveTo(log, { position: '', eventAt: usedAt, noticeAt }, event);
  return { ...newReceiver(log, usedAt), ...state, ...cursor };
}
