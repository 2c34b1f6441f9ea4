import type { AnimeEvent } from '../domain/event.ts';
import type { Snapshot } from '../domain/listing.ts';
import { initialStatus, type Status } from './source-state.ts';
import { compareListings, type StoredListing } from './stored-listing.ts';

/**
 * What a store driver provides: values, leases, of which one keeps the refreshes of several processes apart, and
 * notifications of writes by other processes. Every operation throws when the store fails, so that a failure never looks
 * like a missing value.
 */
export interface Store {
  keyv: {
    get<Value>(key: string): Promise<Value | undefined>;
    set<Value>(key: string, value: Value): Promise<boolean>;
  };
  /** The subscriptions to Web Push. */
  subscriptions: Rows;
  /** Takes the lease of that name if it is free; by default `refresh`. The death of a process releases its leases. */
  lease(name?: LeaseName): Promise<Release | undefined>;
  /** Whether this process still has the lease: one that was frozen may have lost it. */
  holds(name: LeaseName): Promise<boolean>;
  /**
   * Calls back within 5 seconds of another process's write, possibly more often, and when the connection to the store
   * changes. Returns the function that stops it.
   */
  watch(onChange: () => void): () => void;
  /** Whether other processes see what is written here. */
  shared: boolean;
  close(): Promise<void>;
}

/** Texts in rows of their own, each read and written in one step, by any process. Keys are ASCII. */
export interface Rows {
  get(key: string): Promise<string | undefined>;
  /** Resolves with false, and writes nothing, where it would be one row more than `max`. */
  put(key: string, text: string, max: number): Promise<boolean>;
  /** Removing what is missing succeeds. */
  remove(key: string): Promise<void>;
  /** The first rows after a key, `limit` at most, in the order of their keys. Every key comes after ''. */
  after(key: string, limit: number): Promise<[key: string, text: string][]>;
}

export type Release = () => Promise<void>;

/**
 * What one process at a time may do. A write of a process whose lease was lost is refused: the key of a value begins with
 * the name of its lease and a colon, and all other keys belong to `refresh`.
 */
export const LEASE_NAMES = ['refresh', 'webhooks', 'push', 'details'] as const;
export type LeaseName = (typeof LEASE_NAMES)[number];

export interface StoreOptions {
  /** Called when the stored data was damaged and has been moved to `aside`: the store is empty now. */
  onDamaged?: (aside: string, error: unknown) => void;
}

const SNAPSHOT = 'snapshot';
const STATUS = 'status';
const PROBE = 'probe';
/** Raised when the format of the stored snapshot changes: a snapshot of another version is ignored. */
const FORMAT_VERSION = 1;

interface StoredValue extends Snapshot {
  form: typeof FORMAT_VERSION;
  events: readonly AnimeEvent[];
}

/** The stored values of the listing. They have no expiry. */
export interface SnapshotStore extends Omit<Store, 'keyv'> {
  readSnapshot(): Promise<Snapshot | undefined>;
  /** The snapshot with its events. It is what is known from then on, where it follows from what is known. */
  readListing(): Promise<StoredListing | undefined>;
  readStatus(): Promise<Status>;
  /** What this process has read or written last: the store may have forgotten it. */
  known(): { listing: StoredListing | undefined; status: Status | undefined };
  /** Writes the snapshot with its events, by default those that are known, in one atomic step. */
  writeSnapshot(snapshot: Snapshot, events?: readonly AnimeEvent[]): Promise<void>;
  writeStatus(status: Status): Promise<void>;
  /** Values of other features, each under a key that begins with the name of its lease. */
  values: Store['keyv'];
  /** Whether the last write or lease of this process worked, and why not; null before the first. */
  lastWrite(): { writable: boolean | null; error?: unknown };
  /** Tries again to write after a write has failed, so that `lastWrite` is true while the store works. Never rejects. */
  retryWrite(): Promise<void>;
  /** When damaged data was last set aside, ms since 1970; null when none was. */
  damagedAt(): number | null;
  /** Also calls back after `writeStatus` here, which ends every refresh. */
  watch: Store['watch'];
}

/** `damagedAt` is that of the result: what `StoreOptions.onDamaged` has been told of. */
export async function openSnapshotStore(
  store: Store,
  random: () => number,
  damagedAt: () => number | null = () => null,
): Promise<SnapshotStore> {
  const { keyv } = store;
  const listeners = new Set<() => void>();
  const firstStatus = initialStatus(random());
  let lastWrite: ReturnType<SnapshotStore['lastWrite']> = { writable: null };
  let listing: StoredListing | undefined;
  let status: Status | undefined;

  async function noteResult<Value>(write: Promise<Value>): Promise<Value> {
    try {
      const value = await write;
      lastWrite = { writable: true };
      return value;
    } catch (error) {
      lastWrite = { writable: false, error };
      throw error;
    }
  }

  if (!(await keyv.get<Status>(STATUS))) await keyv.set(STATUS, firstStatus);

  async function readListing(): Promise<StoredListing | undefined> {
    const stored = await keyv.get<Partial<StoredValue> & Snapshot>(SNAPSHOT);
    if (stored?.form !== FORMAT_VERSION) return undefined;
    // Version 0.1 knew no epochs, and had the events in a value of their own.
    const { form: _, epoch = '0', lastEvent = 0, events = [], ...snapshot } = stored;
    const read = { snapshot: { ...snapshot, epoch, lastEvent }, events };
    if (!listing || compareListings(listing, read) === 'next') listing = read;
    return read;
  }

  return {
    ...store,
    values: keyv,
    readListing,
    readSnapshot: async () => (await readListing())?.snapshot,
    known: () => ({ listing, status }),
    async readStatus() {
      const stored = { ...firstStatus, ...(await keyv.get<Status>(STATUS)) };
      if (stored.attemptedAt !== null) status = stored;
      return { ...stored };
    },
    async writeSnapshot(snapshot, events = listing?.events ?? []) {
      await noteResult(keyv.set<StoredValue>(SNAPSHOT, { ...snapshot, form: FORMAT_VERSION, events }));
      listing = { snapshot, events };
    },
    async writeStatus(written) {
      await noteResult(keyv.set(STATUS, written));
      if (written.attemptedAt !== null) status = written;
      for (const listener of listeners) listener();
    },
    watch(onChange) {
      listeners.add(onChange);
      const unwatch = store.watch(onChange);
      return () => {
        listeners.delete(onChange);
        unwatch();
      };
    },
    /** Notes only failures: a lease that another process has does not show whether the store can be written. */
    lease: (name) => store.lease(name).catch((error: unknown) => noteResult(Promise.reject(error))),
    lastWrite: () => lastWrite,
    async retryWrite() {
      if (lastWrite.writable === false) await noteResult(keyv.set(PROBE, 0)).catch(() => {});
    },
    damagedAt,
  };
}
