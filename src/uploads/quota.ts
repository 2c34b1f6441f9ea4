import { AppError } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';
import { expiryOf } from '../domain/upload.ts';
import { createExpirySchedule } from './expiry-schedule.ts';
import type { Usage } from './storage.ts';

interface QuotaOptions {
  /** Limit of all files together. */
  totalBytes: number;
  /** Limit of one owner's files. */
  ownerBytes: number;
  /** The buckets that an owner's files count in; by default one for each owner. */
  bucketsOf?: (owner: string, ownerBytes: number) => readonly QuotaBucket[];
}

interface QuotaBucket {
  key: string;
  /** In bytes. */
  limit: number;
}

/** Bytes reserved for an upload that is being received. */
interface QuotaReservation {
  bytes(): number;
  /**
   * Extends the reservation to `bytes` if it is smaller, and further by up to `aheadBytes` if there is space. Throws
   * AppError `storage-full`.
   */
  grow(bytes: number, aheadBytes?: number): void;
  /** Counts a stored file instead, which occupies this much until this time. */
  keep(occupiedBytes: number, expiresAt: number): void;
  /** Releases what was not kept. Further calls do nothing. */
  release(): void;
}

/** State while the files of earlier processes are counted: it has an entry for each of them. */
interface Recount {
  before: number;
  counted: Set<string>;
  removed: Set<string>;
}

export type Quota = ReturnType<typeof createQuota>;

/** Counts bytes that are stored or reserved, in all and for each bucket of their owner. */
export function createQuota({ totalBytes, ownerBytes, bucketsOf = oneBucket }: QuotaOptions) {
  const usedByBucket = new Map<string, number>();
  const stored = createExpirySchedule();
  let recount: Recount | undefined;
  let usedBytes = 0;

  function add(owner: string, bytes: number): void {
    usedBytes += bytes;
    for (const { key } of bucketsOf(owner, ownerBytes)) {
      const sum = (usedByBucket.get(key) ?? 0) + bytes;
      if (sum === 0) usedByBucket.delete(key);
      else usedByBucket.set(key, sum);
    }
  }

  /** Returns the bytes that an owner has left. Throws AppError `storage-full` when they are fewer than `bytes`. */
  function requireSpace(owner: string, bytes: number): number {
    const buckets = bucketsOf(owner, ownerBytes).map(({ key, limit }) => ({
      limit,
      left: limit - (usedByBucket.get(key) ?? 0),
    }));
    const left = Math.min(totalBytes - usedBytes, ...buckets.map((bucket) => bucket.left));
    if (left > 0 && left >= bytes) return left;
    if (left > 0) throw full('there is not enough space left for a file of this size');
    const exhausted = buckets.find((bucket) => bucket.left <= 0);
    throw full(exhausted ? `your share of ${formatSize(exhausted.limit)} is used up` : 'the store is full');
  }

  /** Reserves `bytes`, or what is left if that is less. Throws AppError `storage-full` if nothing is left. */
  function reserve(owner: string, bytes: number): QuotaReservation {
    let reserved = Math.min(bytes, requireSpace(owner, 0));
    add(owner, reserved);
    return {
      bytes: () => reserved,
      grow(wanted, aheadBytes = 0) {
        if (wanted <= reserved) return;
        const needed = wanted - reserved;
        const more = Math.min(needed + aheadBytes, requireSpace(owner, needed));
        add(owner, more);
        reserved += more;
      },
      keep(occupiedBytes, expiresAt) {
        add(owner, occupiedBytes - reserved);
        stored.add(owner, occupiedBytes, expiresAt);
        reserved = 0;
      },
      release() {
        add(owner, -reserved);
        reserved = 0;
      },
    };
  }

  return {
    reserve,
    requireSpace,
    /** Starts counting files that were uploaded before this time. Returns the function that ends it. */
    startRecount(before: number): () => void {
      recount = { before, counted: new Set(), removed: new Set() };
      return () => {
        recount = undefined;
      };
    },
    /** Counts a file of an earlier process, once, unless it has been removed meanwhile. */
    count({ id, owner, size, uploadedAt }: Usage): void {
      if (recount) {
        const { before, counted, removed } = recount;
        if (uploadedAt >= before || removed.has(id) || counted.has(id)) return;
        counted.add(id);
      }
      add(owner, size);
      stored.add(owner, size, expiryOf(id) ?? 0);
    },
    /** Releases the space of a removed file, if it has been counted. */
    forget({ id, owner, size, uploadedAt }: Usage): void {
      if (recount && uploadedAt < recount.before && !recount.counted.has(id)) recount.removed.add(id);
      else if (stored.remove(owner, size, expiryOf(id) ?? 0)) add(owner, -size);
    },
    /** Releases the space of files that have expired. */
    expire(now: number): void {
      for (const [owner, bytes] of stored.takeExpired(now)) add(owner, -bytes);
    },
    /** Bytes stored and reserved. */
    usedBytes: () => usedBytes,
    /** Stored files; bytes stored and reserved. */
    stored: () => ({ bytes: usedBytes, files: stored.files() }),
  };
}

function oneBucket(owner: string, ownerBytes: number): QuotaBucket[] {
  return [{ key: owner, limit: ownerBytes }];
}

function full(reason: string): AppError {
  return new AppError('storage-full', `${reason}; wait for files to expire, or delete some of yours`);
}
