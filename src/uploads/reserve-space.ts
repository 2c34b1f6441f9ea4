import { AppError } from '../domain/errors.ts';
import type { UploadId } from '../domain/upload.ts';
import type { Quota } from './quota.ts';
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

/** Throws AppError `storage-full` when fewer bytes would be left on the disk than are always kept free. */
function requireFree(bytesLeft: number): void {
  if (bytesLeft <= MIN_FREE_BYTES) throw storeFull();
}

function storeFull(): AppError {
  return new AppError('storage-full', 'the store is full; try again later');
}

/** Space reserved for the body of one request, in the quota and on the disk. */
export interface SpaceReservation {
  /**
   * Extends the reservation if more bytes of the body have arrived than are reserved. Rejects with AppError
   * `storage-full`, and `limiter-down`.
   */
  grow(arrivedBytes: number): Promise<void> | undefined;
  /**
   * Extends the reservation to `bytes` less those of `earlier`, stores, and counts what is stored as `id` instead of the
   * reservation and of `earlier`. Rejects as `grow` does, and after a release, before it stores; counts nothing when
   * `store` rejects.
   */
  keep(id: UploadId, bytes: number, store: () => Promise<void>, earlier?: Stored): Promise<void>;
  /** Releases what was not kept. Further calls do nothing. */
  release(): void;
}

/** A part of an upload that is stored and counted. */
interface Stored {
  id: UploadId;
  bytes: number;
}

export type SpaceReserver = ReturnType<typeof createSpaceReserver>;

/** Reserves space for uploads in steps as their bytes arrive: what is only announced keeps nobody else out. */
export function createSpaceReserver({
  storage,
  quota,
}: {
  storage: Pick<Storage, 'freeBytes'>;
  quota: Quota;
}) {
  /** Bytes of all uploads that are reserved and not on the disk yet. */
  let pendingTotal = 0;

  async function requireSpace(bytes = 0): Promise<void> {
    requireFree((await storage.freeBytes()) - pendingTotal - bytes);
  }

  return {
    /** Rejects with AppError `storage-full` when an upload of so many bytes cannot be stored, whatever else is removed. */
    async requirePossible(owner: string, bytes: number): Promise<void> {
      quota.requirePossible(owner, bytes);
      requireFree((await storage.freeBytes()) - bytes);
    },

    /**
     * Begins to reserve space for a body. Rejects with AppError `storage-full` when a body of `declaredBytes`, of which up to
     * `envelopeBytes` are not stored, does not fit at the moment, and with `limiter-down`.
     */
    async reserve(owner: string, declaredBytes?: number, envelopeBytes = 0): Promise<SpaceReservation> {
      const minBytes = declaredBytes === 0 ? 0 : Math.max((declaredBytes ?? 0) - envelopeBytes, 1);
      const maxBytes = declaredBytes ?? Number.POSITIVE_INFINITY;
      const isSmall = maxBytes <= SMALL_BYTES;
      await requireSpace(minBytes);
      const reservation = await quota.reserve(owner, minBytes);
      let pending = 0;
      let isOver = false;

      function setPending(bytes: number): void {
        pendingTotal += bytes - pending;
        pending = bytes;
      }

      function release(): void {
        isOver = true;
        setPending(0);
        reservation.release();
      }

      function grow(arrivedBytes: number): Promise<void> | undefined {
        if (isOver) return undefined;
        const needed = Math.max(arrivedBytes - envelopeBytes, isSmall ? minBytes : 1);
        const ahead = isSmall ? maxBytes : Math.min(STEP_BYTES, Math.floor(arrivedBytes * AHEAD_RATIO));
        const wanted = Math.min(arrivedBytes + ahead, maxBytes);
        const growing = reservation.grow(needed, Math.max(wanted - needed, 0));
        notePending(arrivedBytes);
        return growing?.then(() => {
          notePending(arrivedBytes);
          return requireSpace();
        });
      }

      function notePending(arrivedBytes: number): void {
        if (!isOver) setPending(reservation.bytes() - Math.max(arrivedBytes - BUFFERED_BYTES, 0));
      }

      return {
        grow,
        async keep(id, bytes, store, earlier) {
          if (isOver) throw storeFull();
          await reservation.grow(bytes - (earlier?.bytes ?? 0))?.then(() => requireSpace());
          setPending(0);
          await store();
          await reservation.keep(id, bytes, earlier?.id === id ? undefined : earlier?.id);
        },
        release,
      };
    },
  };
}
