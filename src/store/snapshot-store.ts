import type { Report } from '../domain/operational-event.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { type Memory, NO_MEMORY } from './memory.ts';
import { initialStatus, type Status } from './source-status.ts';
import type { Lease, LeaseName, Store } from './store.ts';
import { readStoredListing, storedListing } from './stored-forms.ts';
import { isForgotten, isSame, type StoredListing } from './stored-listing.ts';
import { knowsMore, NO_POSITIONS, type StoredPositions } from './stored-positions.ts';

const LISTING = 'listing';

import { type WriteHealth, watchWrites } from './write-health.ts';

const STATUS = 'status';
const POSITIONS = 'outbox';
/** Every process hears of a loss within five seconds. */
const OTHERS_MS = 5_000;

interface Written {
  listing?: StoredListing | undefined;
  status?: Status;
}

/** What a process knows and its store has lost. */
interface Forgotten extends Written {
  positions?: StoredPositions;
}

/** The stored values of the listing. They have no expiry. */
export interface SnapshotStore
  extends Omit<Store, 'probe' | 'notify' | 'lease'>,
    Pick<WriteHealth, 'lastWrite' | 'retryWrite' | 'requireWritable'> {
  /** The snapshot with its events. It is what is known from then on, where it is another one and follows from what is known. */
  readListing(): Promise<StoredListing | undefined>;
  readSnapshot(): Promise<Snapshot | undefined>;
  readStatus(): Promise<Status>;
  /** What this process has read or written last: the store may have forgotten it. */
  known(): {
    listing: StoredListing | undefined;
    status: Status;
    positions: StoredPositions | undefined;
  };
  /** Reads how far the receivers have come. Resolves with whether the store has what is known of that. */
  readPositions(): Promise<boolean>;
  /** What the sender knows, before it is written. */
  notePositions(latest: StoredPositions): void;
  /**
   * As that of the driver. `refresh` is on a store that has forgotten nothing: after a loss, it is left to other processes for
   * some seconds, so that they write what they know.
   */
  lease(name: LeaseName): Promise<Lease | undefined>;
  /**
   * Writes back what this process knows and the store has forgotten, in one step: the snapshot with its events, the status, and
   * the positions of receivers. So numbers go on, what was pending stays so, and no receiver misses an event. Resolves with whether it had forgotten nothing.
   */
  refill(): Promise<boolean>;
  /** Whether no loss was found for some seconds, in which other processes write back what only they know. */
  isSettled(): boolean;
  /** Writes the listing and the status in one step, or one of them. */
  write(lease: Lease, written: Written): Promise<void>;
  /** When damaged data was last set aside, ms since 1970; null when none was. */
  damagedAt(): number | null;
  /** For other values that are written back once the store has forgotten them. */
  memory: Memory;
}

interface SnapshotStoreOptions {
  /** From 0 to 1. */
  random: () => number;
  /** The store in messages, without secrets. */
  place?: string;
  /** That of the result: what `StoreOptions.onDamaged` has been told of. */
  damagedAt?: () => number | null;
  report?: Report;
  memory?: Memory;
  /** Monotonic clock, ms. */
  clock?: () => number;
}

/**
 * Throws LaterStoreError when a later version has written to the store. Where an earlier run of this thread has left what it knew,
 * nothing is read: the store may not answer now, or may have forgotten all of it.
 */
export async function openSnapshotStore(store: Store, options: SnapshotStoreOptions): Promise<SnapshotStore> {
  const { random, place = 'of the listing', damagedAt = () => null, report = () => {} } = options;
  const { memory = NO_MEMORY, clock = () => performance.now() } = options;
  const { values } = store;
  const { lease, write, lastWrite, retryWrite, requireWritable } = watchWrites(store);
  const remembered = memory.recall<Status>(STATUS);
  const firstStatus = initialStatus(remembered?.jitter ?? random());
  let listing = memory.recall<StoredListing>(LISTING);
  let status: Status = { ...firstStatus, ...remembered };
  let positions = memory.recall<StoredPositions>(POSITIONS);
  /** Until when the lease `refresh` is left to other processes. */
  let othersUntil = 0;
  /** When it was last found that the store has forgotten something. */
  let lostAt = Number.NEGATIVE_INFINITY;

  async function readListing(): Promise<StoredListing | undefined> {
    const read = await readStoredListing((key) => values.get(key), place);
    if (read && !(listing && (isSame(read, listing) || isForgotten(read, listing)))) learnListing(read);
    return read;
  }

  async function readStatus(): Promise<Status> {
    const stored = { ...firstStatus, ...(await values.get<Status>(STATUS)) };
    learn(stored);
    return stored;
  }

  async function readPositions(): Promise<boolean> {
    const stored = await values.get<StoredPositions>(POSITIONS);
    if (stored && !(positions && knowsMore(positions, stored))) notePositions(stored);
    return positions === stored;
  }

  /** A status before the first attempt says nothing of what was known. */
  function learn({ ...latest }: Status): void {
    if (latest.attemptedAt === null && status.attemptedAt !== null) return;
    status = latest;
    memory.note(STATUS, status);
  }

  function learnListing(latest: StoredListing): void {
    listing = latest;
    memory.note(LISTING, listing);
  }

  function notePositions(latest: StoredPositions): void {
    positions = latest;
    memory.note(POSITIONS, positions);
  }

  async function writeAll(taken: Lease, written: Forgotten): Promise<void> {
    await taken.write({
      ...(written.listing && storedListing(written.listing)),
      ...(written.status && { [STATUS]: written.status }),
      ...(written.positions && { [POSITIONS]: written.positions }),
    });
    if (written.listing) learnListing(written.listing);
    if (!written.status) return;
    learn(written.status);
    store.notify();
  }

  /** What this process knows and the store lacks; undefined when it lacks nothing. */
  async function findForgotten(): Promise<Forgotten | undefined> {
    const known = { listing, status };
    const { attemptedAt } = await readStatus();
    const stored = await readListing();
    const lost: Forgotten = {
      ...(!(await readPositions()) && positions && { positions }),
      ...(attemptedAt === null && known.status.attemptedAt !== null && { status: known.status }),
      ...(known.listing && isForgotten(stored, known.listing) && { listing: known.listing }),
    };
    if (!lost.status && !lost.listing && !lost.positions) return undefined;
    lostAt = clock();
    return lost;
  }

  /** Resolves with whether the store had everything. */
  async function refillUnder(taken: Lease): Promise<boolean> {
    const forgotten = await findForgotten();
    if (!forgotten) return true;
    await writeAll(taken, forgotten);
    othersUntil = clock() + OTHERS_MS;
    if (forgotten.listing) report({ type: 'store-refilled', events: forgotten.listing.events.length });
    return false;
  }

  async function leaseFilled(): Promise<Lease | undefined> {
    const taken = clock() < othersUntil ? undefined : await lease('refresh');
    let isFilled = false;
    try {
      isFilled = taken !== undefined && (await refillUnder(taken));
      return isFilled ? taken : undefined;
    } finally {
      if (!isFilled) await taken?.release();
    }
  }

  /**
   * Writes what a new store begins with. All processes on it share the jitter of the process that opened it first. A
   * store that has positions has not lost any.
   */
  async function writeFirstValues(): Promise<void> {
    const taken = (await values.get(STATUS)) ? undefined : await lease('refresh');
    if (!taken) return;
    const isFirst = !(await values.get(STATUS));
    const first = { [STATUS]: firstStatus, [POSITIONS]: NO_POSITIONS };
    await (isFirst ? write(taken, first) : Promise.resolve()).finally(taken.release);
  }

  if (!remembered) {
    await readListing();
    await writeFirstValues();
    await readStatus();
    await readPositions();
  }
  return {
    ...store,
    readListing,
    readSnapshot: async () => (await readListing())?.snapshot,
    known: () => ({ listing, status, positions }),
    readPositions,
    notePositions,
    readStatus,
    write: writeAll,
    lease: (name) => (name === 'refresh' ? leaseFilled() : lease(name)),
    async refill() {
      if (!(await findForgotten())) return true;
      const taken = await lease('refresh');
      return taken ? refillUnder(taken).finally(taken.release) : false;
    },
    isSettled: () => clock() - lostAt >= OTHERS_MS,
    lastWrite,
    retryWrite,
    requireWritable,
    damagedAt,
    memory,
  };
}
