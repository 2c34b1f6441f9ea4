import { AppError } from '../domain/errors.ts';
import { inOrder, single } from '../domain/serial.ts';
import { formatSize } from '../domain/units.ts';
import type { UploadId } from '../domain/upload-id.ts';
import type { Bucket } from '../network/limiter.ts';
import { ALL_FILES, type Entry, type FileLimits, fileBuckets, type Ledger, limiterDown } from './ledger.ts';
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
  ledger: Ledger;
  storage: Pick<Storage, 'free'>;
}

/** Space reserved for the body of one request, in the quota and on the disk. */
export type SpaceReservation = Awaited<ReturnType<Quota['reserve']>>;

export type Quota = ReturnType<typeof createQuota>;

/**
 * Limits what is stored, and reserves space for uploads in steps as their bytes arrive: what is only announced keeps nobody
 * else out.
 */
export function createQuota({ ledger, storage, ...limits }: QuotaOptions) {
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
  async function take(buckets: readonly Bucket[], wanted: number, needed: number) {
    const taken = await ledger.take(buckets, wanted, needed);
    if (taken.ok) return taken;
    throw quotaExceeded(taken.left, buckets[taken.short]!);
  }

  /**
   * Begins to reserve space for a body, none of it yet. Rejects with AppError `share-full` or `storage-full` when a body of
   * `declaredBytes`, of which up to `envelopeBytes` are not stored, does not fit at the moment, and with `limiter-down`.
   */
  async function reserve(owner: string, declaredBytes?: number, envelopeBytes = 0) {
    const maxBytes = declaredBytes ?? Number.POSITIVE_INFINITY;
    const minBytes = declaredBytes === 0 ? 0 : Math.max((declaredBytes ?? 0) - envelopeBytes, 1);
    const isSmall = maxBytes <= SMALL_BYTES;
    const buckets = bucketsOf(owner);
    await requireFree(minBytes);
    const { term } = await take(buckets, 0, minBytes);
    const keys = buckets.map(({ key }) => key);
    const next = inOrder();
    let reserved = 0;
    let arrived = 0;
    let isReleased = false;
    /** The reason with which the reservation was released. */
    let refusal: unknown;
    const unwritten = () => Math.max(reserved - Math.max(arrived - BUFFERED_BYTES, 0), 0);
    reservations.add(unwritten);

    /** Throws AppError when what was reserved may be another's by now. */
    function requireGranted(): void {
      if (isReleased) throw refusal ?? storeFull();
      if (!ledger.stands(term)) throw limiterDown(new Error('what this process held was given back'));
    }

    async function extend(needed: number, wanted: number): Promise<void> {
      requireGranted();
      if (needed <= reserved) return;
      const taken = await take(buckets, Math.max(wanted, needed) - reserved, needed - reserved);
      if (isReleased || taken.term !== term) void ledger.give(keys, taken.amount, taken.term);
      requireGranted();
      reserved += taken.amount;
      await requireFree();
      requireGranted();
    }

    return {
      /**
       * Extends the reservation if more bytes of the body have arrived than are reserved. Rejects with AppError
       * `share-full`, `storage-full` and `limiter-down`.
       */
      grow(arrivedBytes: number): Promise<void> | undefined {
        const needed = Math.max(arrivedBytes - envelopeBytes, isSmall ? minBytes : 1);
        const ahead = isSmall ? maxBytes : Math.min(STEP_BYTES, Math.floor(arrivedBytes * AHEAD_RATIO));
        arrived = arrivedBytes;
        if (needed <= reserved && !isReleased) return undefined;
        return next(() => extend(needed, Math.min(arrivedBytes + ahead, maxBytes)));
      },

      /**
       * Extends the reservation to the `needed` bytes, stores, and counts what is stored as `id` instead of them. Rejects as
       * `grow` does, and counts nothing when `store` rejects, which has to call what it is given right before it makes something
       * visible: that throws when the reservation is over. `rest`: what becomes of an upload that was counted.
       */
      async keep(
        id: UploadId,
        size: number,
        store: (requireGranted: () => void) => Promise<void>,
        needed = size,
        rest?: Pick<Entry, 'id' | 'size'>,
      ): Promise<void> {
        await next(() => extend(needed, needed));
        arrived = Number.POSITIVE_INFINITY;
        await store(requireGranted);
        await next(async () => {
          const taken = Math.max(Math.min(reserved, needed), 0);
          reserved -= taken;
          const entries = [{ id, size }, ...(rest ? [rest] : [])].map((entry) => ({ ...entry, owner }));
          await ledger.give(keys, taken, term, entries);
        });
      },

      /** Releases what was not kept. Further calls do nothing. `reason`: what `grow` and `keep` reject with from now on. */
      release(reason?: unknown): void {
        if (!isReleased) refusal = reason;
        isReleased = true;
        reservations.delete(unwritten);
        void ledger.give(keys, reserved, term);
        reserved = 0;
      },
    };
  }

  return {
    /**
     * Rejects with AppError `share-full` or `storage-full` when an upload of this size cannot be stored, whatever else is
     * removed.
     */
    async requirePossible(owner: string, bytes: number): Promise<void> {
      const short = bucketsOf(owner).find(({ limit }) => limit < bytes);
      if (short) throw quotaExceeded(short.limit, short);
      await requireFree(bytes);
    },

    reserve,
    release: ledger.remove,
    expire: ledger.expire,
    stored: ledger.used,
  };
}

function storeFull(): AppError {
  return new AppError('storage-full', 'the store is full; try again later');
}

/** AppError `share-full`, or `storage-full` for the bucket of all files. `left`: what is left in the bucket. */
function quotaExceeded(left: number, { key, limit }: Bucket): AppError {
  const isShare = key !== ALL_FILES;
  const share = `your share of ${formatSize(limit)}`;
  const noSpace = `there is not enough space left ${isShare ? `in ${share} ` : ''}for a file of this size`;
  const isFull = isShare ? `${share} is used up` : 'the store is full';
  const advice = 'wait for files to expire, or delete some of yours';
  return new AppError(isShare ? 'share-full' : 'storage-full', `${left > 0 ? noSpace : isFull}; ${advice}`);
}
