import { AppError } from '../domain/errors.ts';
import { inOrder, single } from '../domain/serial.ts';
import { formatSize } from '../domain/units.ts';
import type { LimitBucket } from '../network/limiter.ts';
import {
  ALL_FILES,
  type CountedItem,
  type FileLimits,
  fileBuckets,
  limiterDown,
  type Taken,
  type UploadLedger,
} from './ledger.ts';
import type { Storage } from './storage.ts';

/** What is always kept free on the disk, whatever the quota allows: a full disk harms more than uploads. */
const MIN_FREE = { bytes: 64 * 1024 * 1024, files: 64 } as const;
/** How many files and folders one request may create at most: those of an upload that may be continued, and of its hour. */
const FILES_OF_REQUEST = 4;
/** The most that is reserved ahead of what has arrived. */
const STEP_BYTES = 1024 * 1024;
/** How much of what has arrived is reserved ahead, so that uploads that arrive at once hardly take space from each other. */
const AHEAD_RATIO = 1 / 4;
/** The largest body that is reserved whole with its first bytes, so that of those that arrive at once as many as fit are stored. */
const SMALL_BYTES = 256 * 1024;
/** How many bytes may have arrived that are still in memory and not on the disk. */
const BUFFERED_BYTES = 1024 * 1024 + 64 * 1024;

interface QuotaOptions extends FileLimits {
  ledger: UploadLedger;
  storage: Pick<Storage, 'free'>;
}

/** Limits what is stored, and reserves space for uploads in steps as their bytes arrive: a declared size reserves nothing. */
export interface Quota {
  /**
   * Begins to reserve space for a body, none of it yet. Rejects with AppError `share-full` or `storage-full` when a body of
   * `declaredBytes`, of which up to `envelopeBytes` are not stored, does not fit at the moment, and with `limiter-down`.
   */
  reserve(owner: string, declaredBytes?: number, envelopeBytes?: number): Promise<SpaceReservation>;
  /**
   * Rejects with AppError `share-full` or `storage-full` when an upload of this size cannot be stored, whatever else is
   * removed.
   */
  requirePossible(owner: string, bytes: number): Promise<void>;
  /** Stops counting what was stored under this id. */
  release: UploadLedger['remove'];
  expire: UploadLedger['expire'];
  stored: UploadLedger['used'];
}

/** Space reserved for the body of one request, in the quota and on the disk. */
export interface SpaceReservation {
  /**
   * Extends the reservation if more bytes of the body have arrived than are reserved. Rejects with AppError `share-full`,
   * `storage-full` and `limiter-down`.
   */
  grow(arrivedBytes: number): Promise<void> | undefined;
  /** Extends the reservation to the `bytes` that are about to be stored. Rejects as `grow` does. */
  grant(bytes: number): Promise<SpaceGrant>;
  /**
   * Releases what was not committed. Further calls do nothing. `reason`: what `grow` and `grant` reject with from now on.
   */
  release(reason?: unknown): void;
}

/** Space for something that is about to be stored. It counts nothing until it is committed. */
export interface SpaceGrant {
  /** Call it right before something becomes visible. Throws AppError when the space may be another's by now. */
  requireValid(): void;
  /** Counts what was stored, in place of the space that was granted. */
  commit(...stored: StoredSize[]): Promise<void>;
}

/** How many bytes a stored file or upload occupies. */
export type StoredSize = Pick<CountedItem, 'id' | 'size'>;

export function createQuota({ ledger, storage, ...limits }: QuotaOptions): Quota {
  /** How many bytes each reservation will still take on the disk. */
  const reservations = new Set<() => number>();
  const readFree = single(() => storage.free());
  const bucketsOf = (owner: string) => fileBuckets(owner, limits);

  /** Throws AppError `storage-full` when too little would be left on the disk. Uploads at the same time share one look. */
  async function requireFree(bytes = 0): Promise<void> {
    const free = await readFree();
    const reserved = reservations.values().reduce((sum, unwritten) => sum + unwritten(), bytes);
    const files = reservations.size * FILES_OF_REQUEST;
    if (free.bytes - reserved <= MIN_FREE.bytes || free.files - files <= MIN_FREE.files) throw storeFull();
  }

  /** Throws AppError `share-full` or `storage-full`. */
  async function take(buckets: readonly LimitBucket[], wanted: number, needed: number): Promise<Taken> {
    const taken = await ledger.take(buckets, wanted, needed);
    if (taken.ok) return taken;
    throw quotaExceeded(taken.left, buckets[taken.short]!);
  }

  async function reserve(
    owner: string,
    declaredBytes?: number,
    envelopeBytes = 0,
  ): Promise<SpaceReservation> {
    const body = bodySizes(declaredBytes, envelopeBytes);
    const buckets = bucketsOf(owner);
    await requireFree(body.minBytes);
    const { term } = await take(buckets, 0, body.minBytes);
    const keys = buckets.map(({ key }) => key);
    const next = inOrder();
    let reserved = 0;
    let arrived = 0;
    let isReleased = false;
    /** The reason with which the reservation was released. */
    let refusal: unknown;
    const unwritten = () => Math.max(reserved - Math.max(arrived - BUFFERED_BYTES, 0), 0);
    reservations.add(unwritten);

    function requireValid(): void {
      if (isReleased) throw refusal ?? storeFull();
      if (!ledger.stands(term)) throw limiterDown(new Error('what this process held was given back'));
    }

    async function extend(needed: number, wanted: number): Promise<void> {
      requireValid();
      if (needed <= reserved) return;
      const taken = await take(buckets, Math.max(wanted, needed) - reserved, needed - reserved);
      if (isReleased || taken.term !== term) void ledger.give(keys, taken.amount, taken.term);
      requireValid();
      reserved += taken.amount;
      await requireFree();
      requireValid();
    }

    async function commit(granted: number, stored: readonly StoredSize[]): Promise<void> {
      const taken = Math.max(Math.min(reserved, granted), 0);
      reserved -= taken;
      const items = stored.map((item) => ({ ...item, owner }));
      await ledger.give(keys, taken, term, items);
    }

    return {
      grow(arrivedBytes) {
        const needed = Math.max(arrivedBytes - envelopeBytes, body.firstBytes);
        arrived = arrivedBytes;
        if (needed <= reserved && !isReleased) return undefined;
        const wanted = Math.min(arrivedBytes + body.aheadOf(arrivedBytes), body.maxBytes);
        return next(() => extend(needed, wanted));
      },

      async grant(bytes) {
        await next(() => extend(bytes, bytes));
        arrived = Number.POSITIVE_INFINITY;
        return { requireValid, commit: (...stored) => next(() => commit(bytes, stored)) };
      },

      release(reason) {
        if (!isReleased) refusal = reason;
        isReleased = true;
        reservations.delete(unwritten);
        void ledger.give(keys, reserved, term);
        reserved = 0;
      },
    };
  }

  return {
    reserve,
    async requirePossible(owner, bytes) {
      const short = bucketsOf(owner).find(({ limit }) => limit < bytes);
      if (short) throw quotaExceeded(short.limit, short);
      await requireFree(bytes);
    },
    release: ledger.remove,
    expire: ledger.expire,
    stored: ledger.used,
  };
}

/** How much is reserved for a body. A small one is reserved whole with its first bytes, a larger one a step ahead. */
function bodySizes(declaredBytes: number | undefined, envelopeBytes: number) {
  const maxBytes = declaredBytes ?? Number.POSITIVE_INFINITY;
  const minBytes = declaredBytes === 0 ? 0 : Math.max((declaredBytes ?? 0) - envelopeBytes, 1);
  const isSmall = maxBytes <= SMALL_BYTES;
  return {
    maxBytes,
    minBytes,
    firstBytes: isSmall ? minBytes : 1,
    aheadOf: (arrivedBytes: number) =>
      isSmall ? maxBytes : Math.min(STEP_BYTES, Math.floor(arrivedBytes * AHEAD_RATIO)),
  };
}

function storeFull(): AppError {
  return new AppError('storage-full', 'the store is full; try again later');
}

/** AppError `share-full`, or `storage-full` for the bucket of all files. `left`: what is left in the bucket. */
function quotaExceeded(left: number, { key, limit }: LimitBucket): AppError {
  const isShare = key !== ALL_FILES;
  const share = `your share of ${formatSize(limit)}`;
  const noSpace = `there is not enough space left ${isShare ? `in ${share} ` : ''}for a file of this size`;
  const isFull = isShare ? `${share} is used up` : 'the store is full';
  const advice = 'wait for files to expire, or delete some of yours';
  return new AppError(isShare ? 'share-full' : 'storage-full', `${left > 0 ? noSpace : isFull}; ${advice}`);
}
