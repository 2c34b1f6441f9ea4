import { AppError } from '../domain/errors.ts';
import type { Quota } from './quota.ts';
import type { Storage } from './storage.ts';

/** Kept free on the disk whatever the quota says: a full disk harms more than uploads. */
const SPARE_BYTES = 64 * 1024 * 1024;
/** Promised before any byte has come … */
const FIRST_PIECE_BYTES = 64 * 1024;
/** … and then ahead of what has come. */
const STEP_BYTES = 1024 * 1024;
/** What has come may be in memory yet, and not on the disk. */
const BUFFERED_BYTES = 1024 * 1024 + FIRST_PIECE_BYTES;

/** Room for one upload on its way. */
export interface Room {
  /**
   * Makes the promise larger when so many bytes have come that it must be. Throws AppError `storage-full`, or rejects
   * with it when the disk had to be asked.
   */
  grow(arrived: number): Promise<void> | undefined;
  /** The upload is stored and occupies this much, until this time. */
  keep(occupied: number, expiresAt: number): void;
  /** Gives back what was not kept. Does nothing a second time. */
  release(): void;
}

/**
 * Returns a function that promises room for an upload: in steps, as its bytes come, so a sender that is silent holds
 * next to nothing. `declared` says how much may come, `envelope` how much of that may be no file: an upload that cannot
 * fit now is refused at once. Throws AppError `storage-full`.
 */
export function createRooms({ storage, quota }: { storage: Storage; quota: Quota }) {
  /** Promised, and not on the disk yet. */
  let pendingInAll = 0;

  async function expectSpare(bytes = 0): Promise<void> {
    const freeBytes = await storage.freeBytes();
    if (freeBytes - pendingInAll - bytes > SPARE_BYTES) return;
    throw new AppError('storage-full', 'the store is full; try again later');
  }

  function openRoom(owner: string, most: number): Room & { pending(): number } {
    const reservation = quota.reserve(owner, Math.min(FIRST_PIECE_BYTES, most));
    let pending = 0;
    let isOver = false;

    function count(bytes: number): void {
      pendingInAll += bytes - pending;
      pending = bytes;
    }

    function release(): void {
      isOver = true;
      count(0);
      reservation.release();
    }

    count(reservation.bytes());
    return {
      pending: () => pending,
      grow(arrived) {
        if (isOver) return undefined;
        const before = reservation.bytes();
        reservation.grow(arrived, Math.min(STEP_BYTES, Math.max(most - arrived, 0)));
        count(reservation.bytes() - Math.max(arrived - BUFFERED_BYTES, 0));
        if (reservation.bytes() === before) return undefined;
        // What is given up here may be enough for the others.
        return expectSpare().catch((error: unknown) => {
          release();
          throw error;
        });
      },
      keep(occupied, expiresAt) {
        isOver = true;
        count(0);
        reservation.keep(occupied, expiresAt);
      },
      release,
    };
  }

  return async (owner: string, declared: number | undefined, envelope = 0): Promise<Room> => {
    const least = Math.max((declared ?? 0) - envelope, 0);
    quota.expectRoom(owner, least);
    const room = openRoom(owner, declared ?? Number.POSITIVE_INFINITY);
    try {
      await expectSpare(Math.max(least - room.pending(), 0));
      return room;
    } catch (error) {
      room.release();
      throw error;
    }
  };
}
