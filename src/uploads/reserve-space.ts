import { AppError } from '../domain/errors.ts';
import type { Quota, QuotaReservation } from './quota.ts';
import type { Storage } from './storage.ts';

/** How much is always kept free on the disk, whatever the quota allows: a full disk harms more than uploads. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
/** How much is reserved before any byte has arrived. */
const FIRST_STEP_BYTES = 64 * 1024;
/** How much is reserved ahead of what has arrived. */
const STEP_BYTES = 1024 * 1024;
/** How many bytes may have arrived that are still in memory and not on the disk. */
const BUFFERED_BYTES = 1024 * 1024 + FIRST_STEP_BYTES;

/** Throws AppError `storage-full` when fewer bytes would be left on the disk than are always kept free. */
export function requireFree(bytesLeft: number): void {
  if (bytesLeft > MIN_FREE_BYTES) return;
  throw new AppError('storage-full', 'the store is full; try again later');
}

/** Space reserved for one upload, in its quota and on the disk. */
export interface SpaceReservation {
  /**
   * Extends the reservation if more bytes have arrived than are reserved. Throws AppError `storage-full`, or rejects
   * with it when free space on the disk had to be read, or the quota is shared by processes.
   */
  grow(arrivedBytes: number): Promise<void> | undefined;
  /** Extends the reservation to the size of the file, counts the file instead, and publishes it. Rejects as `grow` does. */
  keep(id: string, occupiedBytes: number, publish: () => Promise<void>): Promise<void>;
  /** Releases what was not kept. Further calls do nothing. */
  release(): void;
}

/**
 * Returns a function that reserves space for an upload. Space is reserved in steps as bytes arrive, so a silent sender
 * holds next to nothing. An upload that is declared too large to fit is refused at once: throws AppError
 * `storage-full`.
 */
export function createSpaceReserver({ storage, quota }: { storage: Storage; quota: Quota }) {
  /** Bytes of all uploads that are reserved and not on the disk yet. */
  let pendingTotal = 0;

  async function requireSpace(bytes = 0): Promise<void> {
    requireFree((await storage.freeBytes()) - pendingTotal - bytes);
  }

  /** Adds a reservation on the disk to one in the quota, for an upload of up to `maxBytes`. */
  function reserveOnDisk(reservation: QuotaReservation, maxBytes: number): SpaceReservation {
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

    /** To be called after `reservation.grow`. Returns a promise when that has extended the reservation. */
    function noteGrowth(arrivedBytes: number, before: number): Promise<void> | undefined {
      if (isOver) return undefined;
      setPending(reservation.bytes() - Math.max(arrivedBytes - BUFFERED_BYTES, 0));
      if (reservation.bytes() === before) return undefined;
      // A refused upload releases its space at once, for the others.
      return requireSpace().catch((error: unknown) => {
        release();
        throw error;
      });
    }

    function grow(arrivedBytes: number): Promise<void> | undefined {
      if (isOver) return undefined;
      const before = reservation.bytes();
      const aheadBytes = Math.min(STEP_BYTES, Math.max(maxBytes - arrivedBytes, 0));
      const growing = reservation.grow(arrivedBytes, aheadBytes);
      return growing
        ? growing.then(() => noteGrowth(arrivedBytes, before))
        : noteGrowth(arrivedBytes, before);
    }

    setPending(reservation.bytes());
    return {
      grow,
      async keep(id, occupiedBytes, publish) {
        await grow(occupiedBytes);
        isOver = true;
        setPending(0);
        await reservation.keep(id, occupiedBytes, publish);
      },
      release,
    };
  }

  return async (owner: string, declaredBytes?: number, envelopeBytes = 0): Promise<SpaceReservation> => {
    const minBytes = Math.max((declaredBytes ?? 0) - envelopeBytes, 0);
    const maxBytes = declaredBytes ?? Number.POSITIVE_INFINITY;
    const reservation = await quota.reserve(owner, Math.min(FIRST_STEP_BYTES, maxBytes), minBytes);
    const space = reserveOnDisk(reservation, maxBytes);
    await requireSpace(Math.max(minBytes - reservation.bytes(), 0)).catch((error: unknown) => {
      space.release();
      throw error;
    });
    return space;
  };
}
