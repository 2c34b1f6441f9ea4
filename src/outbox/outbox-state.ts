import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Report } from '../domain/operational-event.ts';
import { coalesce } from '../domain/serial.ts';
import { DAY_MS } from '../domain/units.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Lease, Store } from '../store/store.ts';
import { beginningOf } from '../store/stored-listing.ts';
import { NO_POSITIONS } from '../store/stored-positions.ts';
import { type Cursor, countPending, type Log, moveTo, skipBefore } from './cursor.ts';
import { lostReceiver, newReceiver, type Receiver, type ReceiverState } from './receiver.ts';

const KEY = 'outbox';
/** A receiver that comes back gets no messages that are older than this. */
const MAX_AGE_MS = DAY_MS;
/** Every process notices a change in the store within five seconds. */
const OTHERS_MS = 5_000;
const ASK_EVERY_MS = 100;

/** The states of the receivers while this process sends. */
export interface OutboxState {
  of(key: string): ReceiverState | undefined;
  /** Stores the state of a receiver. What was delivered is known here although the store may fail. */
  save(key: string, state: ReceiverState): Promise<void>;
  /** Stores the states again where the store has forgotten them. */
  restore(): Promise<void>;
}

interface OutboxStateOptions {
  store: Pick<SnapshotStore, 'values' | 'known' | 'readPositions' | 'notePositions'>;
  report: Report;
  /** How long the other processes have to write back positions that the store has lost. */
  othersMs?: number;
}

interface Taken {
  lease: Lease;
  receivers: readonly Pick<Receiver, 'key' | 'name'>[];
  log: Log;
  /** Ms since 1970. */
  now: number;
  /** Aborts the wait for other processes, with a rejection. */
  signal?: AbortSignal;
}

/** The states of all receivers, one value in the store, as this process or the store knows them: whichever knows more. */
export function openOutboxState({ store, report, othersMs = OTHERS_MS }: OutboxStateOptions) {
  const { values } = store;
  const known = () => store.known().positions ?? NO_POSITIONS;
  // Only this file writes them.
  const stateOf = (key: string) => known().receivers[key] as ReceiverState | undefined;
  const isLost = () => store.known().positions?.isLost ?? store.known().positions === undefined;

  /** Says in the store that it has lost the positions, and waits for a process that remembers them. */
  async function askOthers(lease: Lease, signal: AbortSignal | undefined): Promise<void> {
    await lease.write({ [KEY]: { ...NO_POSITIONS, isLost: true } });
    for (let waitedMs = 0; waitedMs < othersMs && isLost(); waitedMs += ASK_EVERY_MS) {
      await sleep(ASK_EVERY_MS, undefined, { signal });
      await store.readPositions();
    }
  }

  /** The state of a receiver that the store knows, without what has become too old for it. */
  function dropOld(name: string, state: ReceiverState, log: Log, now: number): ReceiverState {
    const cursor = skipBefore(log, state, now - MAX_AGE_MS);
    const count = countPending(log, state) - countPending(log, cursor);
    if (count === 0) return state;
    report({ type: 'webhook-dropped', receiver: name, count, reason: 'they are older than a day' });
    return { ...state, ...cursor, dropped: state.dropped + count };
  }

  /** The state of a receiver that is not known: it is new, or its position was lost. */
  function begin(name: string, log: Log, now: number, mayBeKnown: boolean): ReceiverState {
    const lost = lostReceiver(log, now - MAX_AGE_MS);
    const count = countPending(log, lost);
    if (count > 0 && mayBeKnown) {
      report({ type: 'webhook-position-lost', receiver: name, count });
      return lost;
    }
    report({ type: 'webhook-added', receiver: name });
    return newReceiver(log, now);
  }

  return {
    follow: store.readPositions,
    /** A receiver that was gone gets only later messages. */
    async take({ lease, receivers, log, now, signal }: Taken): Promise<OutboxState> {
      const write = coalesce(() => lease.write({ [KEY]: known() }));
      const save = (states: Record<string, ReceiverState>): Promise<void> => {
        const { revision, receivers: before } = known();
        store.notePositions({ revision: revision + 1, receivers: { ...before, ...states } });
        return write();
      };
      const former: Record<string, ReceiverState | undefined> = {};
      for (const { key } of receivers) former[key] = await readFormerState(values, key, log);
      let isStored = await store.readPositions();
      const hasFormer = Object.values(former).some((state) => state !== undefined);
      if (isLost() && !hasFormer && countPending(log, lostReceiver(log, now - MAX_AGE_MS)) > 0) {
        await askOthers(lease, signal);
        isStored = await store.readPositions();
      }
      // A store that knows other receivers has certainly never known this one.
      const isUsed = hasFormer || Object.keys(known().receivers).length > 0;
      // A store without receivers may have lost this one, if it has lost its positions or has begun anew within the last day.
      const mayBeKnown = !isUsed && (isLost() || now - beginningOf(log.epoch) < MAX_AGE_MS);
      const states: Record<string, ReceiverState> = {};
      for (const { key, name } of receivers) {
        const state = stateOf(key) ?? former[key];
        if (!state) states[key] = begin(name, log, now, mayBeKnown);
        else if (state.isGone) states[key] = newReceiver(log, now, state.dropped);
        else states[key] = dropOld(name, state, log, now);
      }
      // A revision that says nothing new would hide from this process what another one delivers on a store that has lost it.
      const isNews = Object.entries(states).some(([key, state]) => !isDeepStrictEqual(state, stateOf(key)));
      if (isNews) await save(states);
      else if (!isStored) await write();
      return {
        of: stateOf,
        save: (key, state) => save({ [key]: state }),
        async restore() {
          if (!(await store.readPositions())) await write();
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
