import { AppError } from '../domain/errors.ts';
import { inOrder } from '../domain/serial.ts';
import { formatSize } from '../domain/units.ts';
import type { UploadId } from '../domain/upload.ts';
import { ALL_FILES, type Ledger } from './ledger.ts';
import type { Bucket } from './limiter.ts';

export interface QuotaLimits {
  /** Limit of all files together, in bytes. */
  totalBytes: number;
  /** Limit of one owner's files, in bytes. */
  ownerBytes: number;
  /** The buckets that an owner's files count in. */
  bucketsOf: (owner: string, ownerBytes: number) => readonly Bucket[];
}

/** Bytes reserved for an upload that is being received. */
interface QuotaReservation {
  bytes(): number;
  /**
   * Extends the reservation to `bytes` if it is smaller, and further by up to `aheadBytes` if there is space. Rejects with
   * AppError `storage-full`, or `limiter-down`.
   */
  grow(bytes: number, aheadBytes?: number): Promise<void> | undefined;
  /**
   * Counts what is stored under `id` by now instead of the reservation, and of what was counted as `replaced`. The
   * reservation can grow again. Does not reject. The id contains the expiry.
   */
  keep(id: UploadId, bytes: number, replaced?: UploadId): Promise<void>;
  /** Releases what was not kept. Further calls do nothing. */
  release(): void;
}

/** Counts bytes that are stored or reserved, in all and for each bucket of their owner. */
export interface Quota {
  /** Throws AppError `storage-full` when so many bytes would not fit if nothing else were stored. */
  requirePossible(owner: string, bytes: number): void;
  /**
   * Begins a reservation, of no bytes yet. Rejects with AppError `storage-full` when less than `neededBytes` is left, and
   * with `limiter-down`.
   */
  reserve(owner: string, neededBytes?: number): Promise<QuotaReservation>;
  /** Releases the space of a file or an upload that is gone. Further calls do nothing, in whichever process. */
  release(id: UploadId): void;
  /** Releases the space of files that have expired; ms since 1970. */
  expire(now: number): void;
  /** Stored files; bytes stored and reserved. */
  stored(): { bytes: number; files: number };
}

/** The buckets that an owner's files count in, the one of all files last. */
function allBuckets({ totalBytes, ownerBytes, bucketsOf }: QuotaLimits, owner: string): Bucket[] {
  return [...bucketsOf(owner, ownerBytes), { key: ALL_FILES, limit: totalBytes }];
}

/** Returns what a ledger needs to know to count files. */
export function createKeysOf(limits: QuotaLimits): (owner: string) => string[] {
  return (owner) => allBuckets(limits, owner).map(({ key }) => key);
}

/** Limits what is stored, by the sums of a ledger. */
export function createQuota(ledger: Ledger, limits: QuotaLimits): Quota {
  /** Throws AppError `storage-full`. */
  async function take(buckets: readonly Bucket[], wanted: number, needed: number): Promise<number> {
    const taken = await ledger.take(buckets, wanted, needed);
    if (taken.ok) return taken.amount;
    throw quotaExceeded(taken.left, buckets[taken.exhausted]);
  }

  return {
    requirePossible(owner, bytes) {
      const left = Math.min(...allBuckets(limits, owner).map(({ limit }) => limit));
      if (bytes > left) throw quotaExceeded(left);
    },

    async reserve(owner, neededBytes = 0) {
      const buckets = allBuckets(limits, owner);
      const keys = buckets.map(({ key }) => key);
      await take(buckets, 0, neededBytes);
      const next = inOrder();
      let reserved = 0;
      let isReleased = false;

      async function extend(bytes: number, aheadBytes: number): Promise<void> {
        const needed = bytes - reserved;
        if (needed <= 0 || isReleased) return;
        const taken = await take(buckets, needed + aheadBytes, needed);
        if (isReleased) ledger.give(keys, taken);
        else reserved += taken;
      }

      return {
        bytes: () => reserved,
        grow: (bytes, aheadBytes = 0) =>
          bytes <= reserved ? undefined : next(() => extend(bytes, aheadBytes)),
        keep: (id, bytes, replaced) =>
          next(async () => {
            const taken = reserved;
            reserved = 0;
            await ledger.keep({ id, owner, size: bytes }, taken, replaced);
          }),
        release() {
          isReleased = true;
          ledger.give(keys, reserved);
          reserved = 0;
        },
      };
    },

    release: (id) => ledger.remove(id),
    expire: (now) => ledger.expire(now),
    stored: () => ledger.used(),
  };
}

/** AppError `storage-full`. `exhausted`: the first bucket with nothing left. */
function quotaExceeded(left: number, exhausted?: Bucket): AppError {
  if (left > 0 || !exhausted) return full('there is not enough space left for a file of this size');
  const isAll = exhausted.key === ALL_FILES;
  return full(isAll ? 'the store is full' : `your share of ${formatSize(exhausted.limit)} is used up`);
}

function full(reason: string): AppError {
  return new AppError('storage-full', `${reason}; wait for files to expire, or delete some of yours`);
}
