import { isDeepStrictEqual } from 'node:util';
import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import type { Lease } from '../crawler/store.ts';
import { coalesce } from '../domain/serial.ts';
import { DAY_MS } from '../domain/units.ts';
import { type Log, skipBefore } from './cursor.ts';
import { readFormerState } from './former-states.ts';
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
