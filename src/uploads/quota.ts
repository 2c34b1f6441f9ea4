import { AppError } from '../domain/errors.ts';
import { inOrder, single } from '../domain/serial.ts';
import { formatSize } from '../domain/units.ts';
import type { UploadId } from '../domain/upload.ts';
import { ALL_FILES, fileBuckets, type Ledger } from './ledger.ts';
import type { Bucket } from './limiter.ts';
import type { Storage } from './storage.ts';

/** How much is always kept free on the disk, whatever the quota allows: a full disk harms more than uploads. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
/** The most that is reserved ahead of what has arrived. */
const STEP_BYTES = 1024 * 1024;
/** How much of what has arrived is reserved ahead, so that uploads that arrive at once hardly take space from each other. */
const AHEAD_RATIO = 1 / 4;
/** The largest body that is reserved whole with its first bytes, so that of those that arrive at once as many as fit are stored. */
const SMALL_BYTES = 256 * 1024;
/** How many bytes may have arrived that are still in memory and not on the disk. */
const BUFFERED_BYTES = 1024 * 1024 + 64 * 1024;

interface QuotaOptions {
  ledger: Ledger;
  storage: Pick<Storage, 'freeBytes'>;
  /** Limit of all files together, in bytes. */
  totalBytes: number;
  /** Limit of one owner's files, in bytes. */
  ownerBytes: number;
}

/** Space reserved for the body of one request, in the quota and on the disk. */
export type SpaceReservation = Awaited<ReturnType<Quota['reserve']>>;

interface BodySize {
  /** What has to be stored at least. */
  minBytes: number;
  /** The length of the body; Infinity where it is unknown. */
  maxBytes: number;
  /** How much of the body may not be stored. */
  envelopeBytes: number;
}

/** A part of an upload that is stored and counted. */
interface Stored {
  id: UploadId;
  bytes: number;
}

export type Quota = ReturnType<typeof createQuota>;

/**
 * Limits what is stored, and reserves space for uploads in steps as their bytes arrive: what is only announced keeps nobody
 * else out.
 */
export function createQuota({ ledger, storage, totalBytes, ownerBytes }: QuotaOptions) {
  /** Bytes of all uploads that are reserved and not on the disk yet. */
  let pendingTotal = 0;
  const readFree = single(() => storage.freeBytes());
  const bucketsOf = (owner: string) => fileBuckets(owner, { totalBytes, ownerBytes });

  /** Throws AppError `storage-full` when too little would be left on the disk. Uploads at the same time share one look. */
  async function requireFree(bytes: number): Promise<void> {
    if ((await readFree()) - bytes <= MIN_FREE_BYTES) throw storeFull();
  }

  /** Throws AppError `storage-full`. */
  async function take(buckets: readonly Bucket[], wanted: number, needed: number): Promise<number> {
    const taken = await ledger.take(buckets, wanted, needed);
    if (taken.ok) return taken.amount;
    throw quotaExceeded(taken.left, buckets[taken.exhausted]);
  }

  /** Begins a reservation, of no bytes yet. */
  function openReservation(owner: string, { minBytes, maxBytes, envelopeBytes }: BodySize) {
    const isSmall = maxBytes <= SMALL_BYTES;
    const buckets = bucketsOf(owner);
    const keys = buckets.map(({ key }) => key);
    const next = inOrder();
    let reserved = 0;
    let pending = 0;
    let isOver = false;

    function setPending(bytes: number): void {
      pendingTotal += bytes - pending;
      pending = bytes;
    }

    function notePending(arrivedBytes: number): void {
      if (!isOver) setPending(reserved - Math.max(arrivedBytes - BUFFERED_BYTES, 0));
    }

    async function extend(needed: number, wanted: number): Promise<void> {
      if (needed <= reserved || isOver) return;
      const taken = await take(buckets, Math.max(wanted, needed) - reserved, needed - reserved);
      if (isOver) ledger.give(keys, taken);
      else reserved += taken;
    }

    return {
      /**
       * Extends the reservation if more bytes of the body have arrived than are reserved. Rejects with AppError
       * `storage-full`, and `limiter-down`.
       */
      grow(arrivedBytes: number): Promise<void> | undefined {
        if (isOver) return undefined;
        const needed = Math.max(arrivedBytes - envelopeBytes, isSmall ? minBytes : 1);
        const ahead = isSmall ? maxBytes : Math.min(STEP_BYTES, Math.floor(arrivedBytes * AHEAD_RATIO));
        const wanted = Math.min(arrivedBytes + ahead, maxBytes);
        notePending(arrivedBytes);
        if (needed <= reserved) return undefined;
        return next(() => extend(needed, wanted)).then(() => {
          notePending(arrivedBytes);
          return requireFree(pendingTotal);
        });
      },

      /**
       * Extends the reservation to `bytes` less those of `earlier`, stores, and counts what is stored as `id` instead of so
       * much of the reservation and of `earlier`. Rejects as `grow` does, and after a release, before it stores; counts
       * nothing when `store` rejects.
       */
      async keep(id: UploadId, bytes: number, store: () => Promise<void>, earlier?: Stored): Promise<void> {
        if (isOver) throw storeFull();
        const needed = bytes - (earlier?.bytes ?? 0);
        if (needed > reserved) {
          await next(() => extend(needed, needed));
          await requireFree(pendingTotal);
        }
        setPending(0);
        await store();
        const replaced = earlier?.id === id ? undefined : earlier?.id;
        await next(async () => {
          const taken = Math.min(reserved, Math.max(needed, 0));
          reserved -= taken;
          await ledger.keep({ id, owner, size: bytes }, taken, replaced);
        });
      },

      /** Releases what was not kept. Further calls do nothing. */
      release(): void {
        isOver = true;
        setPending(0);
        ledger.give(keys, reserved);
        reserved = 0;
      },
    };
  }

  return {
    /** Rejects with AppError `storage-full` when an upload of so many bytes cannot be stored, whatever else is removed. */
    async requirePossible(owner: string, bytes: number): Promise<void> {
      const left = Math.min(...bucketsOf(owner).map(({ limit }) => limit));
      if (bytes > left) throw quotaExceeded(left);
      await requireFree(bytes);
    },

    /**
     * Begins to reserve space for a body. Rejects with AppError `storage-full` when a body of `declaredBytes`, of which up to
     * `envelopeBytes` are not stored, does not fit at the moment, and with `limiter-down`.
     */
    async reserve(owner: string, declaredBytes?: number, envelopeBytes = 0) {
      const maxBytes = declaredBytes ?? Number.POSITIVE_INFINITY;
      const minBytes = declaredBytes === 0 ? 0 : Math.max((declaredBytes ?? 0) - envelopeBytes, 1);
      await requireFree(pendingTotal + minBytes);
      await take(bucketsOf(owner), 0, minBytes);
      return openReservation(owner, { minBytes, maxBytes, envelopeBytes });
    },

    /** Releases the space of a file or an upload that is gone. Further calls do nothing, in whichever process. */
    release: (id: UploadId): void => ledger.remove(id),
    /** Releases the space of files that have expired; ms since 1970. */
    expire: (now: number): void => ledger.expire(now),
    /** Stored files; bytes stored and reserved. */
    stored: () => ledger.used(),
  };
}

function storeFull(): AppError {
  return new AppError('storage-full', 'the store is full; try again later');
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
