import type { Report } from '../domain/operational-event.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { createKnownValues, type KnownValues, rememberedJitter } from './known-values.ts';
import { type Memory, NO_MEMORY } from './memory.ts';
import { createRefilling } from './refill.ts';
import { type FlatStatus, flattenStatus, initialStatus, parseStatus, type Status } from './source-status.ts';
import type { Lease, LeaseName, Store } from './store.ts';
import { readStoredListing, storedListing } from './stored-forms.ts';
import type { StoredListing } from './stored-listing.ts';
import { NO_POSITIONS, type StoredPositions } from './stored-positions.ts';
import { type WriteHealth, watchWrites } from './write-health.ts';

/** The stored values of the listing. They have no expiry. */
export interface SnapshotStore
  extends Omit<Store, 'probe' | 'notify' | 'lease'>,
    Pick<WriteHealth, 'lastWrite' | 'retryWrite' | 'requireWritable'> {
  /** Reads the snapshot with its events, and remembers it if it follows the remembered one. */
  readListing(): Promise<StoredListing | undefined>;
  readSnapshot(): Promise<Snapshot | undefined>;
  readStatus(): Promise<Status>;
  /** Reads the positions of the receivers. Resolves with whether the store lacks none of the remembered ones. */
  readPositions(): Promise<boolean>;
  /** What this process has read or written last: the store may have forgotten it. */
  known: KnownValues['current'];
  /** What the sender knows, before it is written. */
  notePositions(latest: StoredPositions): void;
  /**
   * Takes a lease, like the driver. `refresh` refills the store first if it lost data, after some seconds for other
   * processes.
   */
  lease(name: LeaseName): Promise<Lease | undefined>;
  /** Writes the listing and the status in one step, or one of them. */
  write(lease: Lease, written: Pick<Written, 'listing' | 'status'>): Promise<void>;
  /**
   * Restores lost data from this process in one step: the snapshot with its events, the status, and the positions of
   * receivers. So numbers go on, pending readings stay pending, and no receiver misses an event. Resolves with whether
   * nothing was lost.
   */
  refill(): Promise<boolean>;
  /** Whether no loss was found for some seconds, in which other processes write back what only they know. */
  isSettled(): boolean;
  /** When damaged data was last set aside, ms since 1970; null when none was. */
  damagedAt(): number | null;
  /** For other values that are written back once the store has forgotten them. */
  memory: Memory;
}

/** Values that are written in one step. */
export interface Written {
  listing?: StoredListing | undefined;
  status?: Status | undefined;
  positions?: StoredPositions | undefined;
}

interface SnapshotStoreOptions {
  /** From 0 to 1. */
  random: () => number;
  /** The store in messages, without secrets. */
  place?: string;
  /** The argument of `StoreOptions.onDamaged`. */
  damagedAt?: () => number | null;
  report?: Report;
  memory?: Memory;
  /** Monotonic clock, ms. */
  clock?: () => number;
}

const STATUS = 'status';
const POSITIONS = 'outbox';

/**
 * Throws LaterStoreError when a later version has written to the store. If an earlier run of this thread left notes, it
 * reads nothing: the store may be down, or empty.
 */
export async function openSnapshotStore(store: Store, options: SnapshotStoreOptions): Promise<SnapshotStore> {
  const { random, place = 'of the listing', damagedAt = () => null, report = () => {} } = options;
  const { memory = NO_MEMORY, clock = () => performance.now() } = options;
  const { values } = store;
  const writes = watchWrites(store);
  const jitter = rememberedJitter(memory);
  const firstStatus = initialStatus(jitter ?? random());
  const known = createKnownValues(memory, firstStatus);
  const reading = { readListing, readStatus, readPositions };
  const refilling = createRefilling({ known, store: reading, lease: writes.lease, write, report, clock });

  async function readListing(): Promise<StoredListing | undefined> {
    const read = await readStoredListing((key) => values.get(key), place);
    if (read) known.learnListing(read);
    return read;
  }

  async function readStatus(): Promise<Status> {
    const stored = await values.get<FlatStatus>(STATUS);
    const status = parseStatus(stored ?? {}, firstStatus);
    known.noteStatus(status);
    return status;
  }

  async function readPositions(): Promise<boolean> {
    const stored = await values.get<StoredPositions>(POSITIONS);
    if (stored) known.learnPositions(stored);
    return known.current().positions === stored;
  }

  async function write(taken: Lease, { listing, status, positions }: Written): Promise<void> {
    const written: Record<string, unknown> = listing ? storedListing(listing) : {};
    if (status) written[STATUS] = flattenStatus(status);
    if (positions) written[POSITIONS] = positions;
    await taken.write(written);
    if (listing) known.noteListing(listing);
    if (!status) return;
    known.noteStatus(status);
    store.notify();
  }

  /**
   * Writes the first values of a new store. All processes on it share the jitter of the process that opened it first. A
   * store that has positions has not lost any.
   */
  async function writeFirstValues(): Promise<void> {
    if (await values.get(STATUS)) return;
    const taken = await writes.lease('refresh');
    if (!taken) return;
    try {
      // Another process may have been first.
      if (await values.get(STATUS)) return;
      await taken.write({ [STATUS]: flattenStatus(firstStatus), [POSITIONS]: NO_POSITIONS });
    } finally {
      await taken.release();
    }
  }

  if (jitter === undefined) {
    await readListing();
    await writeFirstValues();
    await readStatus();
    await readPositions();
  }

  return {
    ...store,
    ...reading,
    readSnapshot: async () => (await readListing())?.snapshot,
    known: known.current,
    notePositions: known.notePositions,
    lease: (name) => (name === 'refresh' ? refilling.leaseFilled() : writes.lease(name)),
    write,
    refill: refilling.refill,
    isSettled: refilling.isSettled,
    lastWrite: writes.lastWrite,
    retryWrite: writes.retryWrite,
    requireWritable: writes.requireWritable,
    damagedAt,
    memory,
  };
}
