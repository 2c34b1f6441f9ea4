import type { DependencyCheck } from '../domain/dependency.ts';
import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import { formatSize } from '../domain/units.ts';
import type { Storage, Usage } from './storage.ts';

/** Exported for the drivers, which import only their interface. */
export type { Usage } from './storage.ts';

interface QuotaBucket {
  key: string;
  /** In bytes. */
  limit: number;
}

export interface QuotaLimits {
  /** Limit of all files together, in bytes. */
  totalBytes: number;
  /** Limit of one owner's files, in bytes. */
  ownerBytes: number;
  /** The buckets that an owner's files count in. */
  bucketsOf: (owner: string, ownerBytes: number) => readonly QuotaBucket[];
}

export interface QuotaOptions extends QuotaLimits {
  /** What is counted: the files of earlier processes, and those of others that share the storage. */
  storage: Pick<Storage, 'usage' | 'isShared'> & { resumable: Pick<Storage['resumable'], 'usage'> };
  /** Monotonic clock, ms. */
  elapsedMs: () => number;
  /** Wall clock, ms since 1970. */
  now: () => number;
  report: Report;
}

/** Bytes reserved for an upload that is being received. */
export interface QuotaReservation {
  bytes(): number;
  /**
   * Extends the reservation to `bytes` if it is smaller, and further by up to `aheadBytes` if there is space. Throws
   * AppError `storage-full`, or rejects with it where the quota lies elsewhere.
   */
  grow(bytes: number, aheadBytes?: number): Promise<void> | undefined;
  /**
   * Counts a stored file instead of the reservation, and publishes it. Rejects with AppError `storage-full` before
   * `publish` is called, and counts nothing when that rejects. The id contains the expiry.
   */
  keep(id: string, occupiedBytes: number, publish: () => Promise<void>): Promise<void>;
  /** Releases what was not kept. Further calls do nothing. */
  release(): void;
}

/** What decides whether a removed file has been counted. */
export interface Removal {
  /** Whether this process received the file; true by default. */
  isOwn?: boolean;
  /** When it was removed, ms since 1970; by default now. */
  removedAt?: number;
}

/** Counts bytes that are stored or reserved, in all and for each bucket of their owner. */
export interface Quota {
  /**
   * Reserves `bytes`, or what is left if that is less. Throws AppError `storage-full`, or rejects with it, when nothing
   * is left or less than `neededBytes`.
   */
  reserve(owner: string, bytes: number, neededBytes?: number): QuotaReservation | Promise<QuotaReservation>;
  /** Releases the space of a removed file, once, if it has been counted. */
  forget(removed: Usage, removal?: Removal): void;
  /**
   * Counts a file instead of an upload that is counted and at least as large, and publishes it. Counts the upload again
   * when `publish` rejects.
   */
  replace(counted: Usage, id: string, occupiedBytes: number, publish: () => Promise<void>): Promise<void>;
  /** Releases the space of files that have expired; ms since 1970. */
  expire(now: number): void;
  /** Stored files; bytes stored and reserved. */
  stored(): { bytes: number; files: number };
  /** Absent where the quota depends on nothing but the storage. */
  check?: DependencyCheck | undefined;
  close(): Promise<void>;
}

/** AppError `storage-full`. `exhausted`: the bucket with nothing left; undefined when it is the store that is full. */
export function quotaExceeded(left: number, exhausted: QuotaBucket | undefined): AppError {
  if (left > 0) return full('there is not enough space left for a file of this size');
  return full(exhausted ? `your share of ${formatSize(exhausted.limit)} is used up` : 'the store is full');
}

function full(reason: string): AppError {
  return new AppError('storage-full', `${reason}; wait for files to expire, or delete some of yours`);
}
