/**
 * What a store driver provides: values, leases under which they are written, and notifications of writes by other processes.
 * Every operation throws when the store fails, so that a failure never looks like a missing value. Opening one writes no value.
 */
export interface Store {
  /** Reads the values, which have no expiry. */
  values: { get<Value>(key: string): Promise<Value | undefined> };
  /** The subscriptions to Web Push. */
  subscriptions: Rows;
  /** The channels that strangers have new episodes announced in. */
  channels: Rows;
  /** Takes a lease if it is free. The death of a process releases its leases. */
  lease(name: LeaseName): Promise<Lease | undefined>;
  /**
   * Calls back within 5 seconds of another process's write, possibly more often, and when the connection to the store
   * changes. Returns the function that stops it.
   */
  watch(onChange: () => void): () => void;
  /** Calls the watchers here at once. */
  notify(): void;
  /** Writes and removes that many bytes, outside of the values. Rejects when there is no room for them. */
  probe(bytes: number): Promise<void>;
  /** Everything that is kept, for a copy to another store. */
  contents: StoreContents;
  /** Whether other processes see the writes. */
  shared: boolean;
  /** Whoever took a lease has released it before. */
  close(): Promise<void>;
}

/**
 * Jobs for one process at a time: change the listing, send its events, read the pages of single anime, their covers, the
 * calendar, write another value.
 */
export const LEASE_NAMES = ['refresh', 'outbox', 'details', 'covers', 'broadcasts', 'records'] as const;
export type LeaseName = (typeof LEASE_NAMES)[number];

/** What the file or key of a lease is called. */
export function leaseKey(name: LeaseName): string {
  return name === 'refresh' ? 'lease' : `lease-${name}`;
}

/** The right to write, held by one job of one process. There is no other way to write a value. */
export interface Lease {
  /**
   * Writes values in one step: all or none. An undefined one is removed. Throws LeaseLostError where another process may have the
   * lease.
   */
  write(values: Record<string, unknown>): Promise<void>;
  /** Whether this process certainly still has it: a frozen process may lose it. */
  isHeld(): Promise<boolean>;
  /** Never rejects. */
  release(): Promise<void>;
}

export class LeaseLostError extends Error {
  constructor() {
    super('the lease was lost before it was released: another process may have written');
    this.name = 'LeaseLostError';
  }
}

/** Texts in rows of their own, each read and written in one step, by any process. Keys are ASCII. */
export interface Rows {
  /**
   * Where it would be one row more than `max`, those that were last put before the day `unusedSince` make place. Resolves with
   * false, and writes nothing, where there are none. Days are numbers since 1970.
   */
  put(key: string, text: string, limit: { max: number; day: number; unusedSince: number }): Promise<boolean>;
  /** Removing a missing key succeeds. */
  remove(key: string): Promise<void>;
  get(key: string): Promise<string | undefined>;
  /** The first rows after a key, `limit` at most, in the order of their keys. Every key comes after ''. */
  after(key: string, limit: number): Promise<[key: string, text: string][]>;
}

/** The kinds of rows, each a property of the store. */
export const ROW_KINDS = ['subscriptions', 'channels'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** A value or a row, in the form in which every driver keeps it. */
export interface StoredItem {
  key: string;
  text: string;
  /** The day on which a row was last put; null for values, and for rows of a version that noted none. */
  day: number | null;
}

/** Everything that a store keeps, whatever it means. */
export interface StoreContents {
  /** The first items after a key, `limit` at most, in the order of their keys and read in one step. Every key comes after ''. */
  read(kind: 'values' | RowKind, after: string, limit: number): Promise<StoredItem[]>;
  /** Puts and removes items in one step. */
  write(kind: 'values' | RowKind, items: readonly StoredItem[], removed: readonly string[]): Promise<void>;
  /** Names data of kinds unknown to this version, which a copy would leave out. */
  findUnknown(): Promise<string[]>;
}

export interface StoreOptions {
  /** Opens the store only to read `values` and `contents`. Creates and changes nothing; a missing store is an error. */
  readOnly?: boolean;
  /** Opens also a store that cannot be used now, whose operations fail until it can. Without it, that is an error. */
  mayBeDown?: boolean;
  /** Called when the stored data was damaged and has been moved to `aside`: the store is empty now. */
  onDamaged?: (aside: string, error: unknown) => void;
}
