import type { Memory } from './memory.ts';
import type { Status } from './source-status.ts';
import { isForgotten, isSame, type StoredListing } from './stored-listing.ts';
import { knowsMore, type StoredPositions } from './stored-positions.ts';

/** The values that a store may lose, and that a process which knows them writes back. */
export interface Values {
  listing: StoredListing | undefined;
  status: Status;
  positions: StoredPositions | undefined;
}

/**
 * What this process has read or written last: the store may have forgotten it since. It outlives the run of a thread, by the
 * memory.
 */
export interface KnownValues {
  current(): Values;
  /** Remembers written values. */
  noteListing(written: StoredListing): void;
  noteStatus(written: Status): void;
  notePositions(latest: StoredPositions): void;
  /** Remembers values that were read, unless they are older. */
  learnListing(read: StoredListing): void;
  learnPositions(read: StoredPositions): void;
}

const LISTING = 'listing';
const STATUS = 'status';
const POSITIONS = 'outbox';

/** Restores the notes of an earlier run of this thread, if any; otherwise starts with `firstStatus`. */
export function createKnownValues(memory: Memory, firstStatus: Status): KnownValues {
  let listing = memory.recall<StoredListing>(LISTING);
  let status = memory.recall<Status>(STATUS) ?? firstStatus;
  let positions = memory.recall<StoredPositions>(POSITIONS);

  function noteListing(latest: StoredListing): void {
    listing = latest;
    memory.note(LISTING, listing);
  }

  function notePositions(latest: StoredPositions): void {
    positions = latest;
    memory.note(POSITIONS, positions);
  }

  return {
    current: () => ({ listing, status, positions }),
    noteListing,
    noteStatus(latest) {
      // A status before the first attempt has no information.
      if (latest.attempts.attemptedAt === null && status.attempts.attemptedAt !== null) return;
      status = latest;
      memory.note(STATUS, status);
    },
    notePositions,
    learnListing(read) {
      const isOld = listing && (isSame(read, listing) || isForgotten(read, listing));
      if (!isOld) noteListing(read);
    },
    learnPositions(read) {
      const isOld = positions && knowsMore(positions, read);
      if (!isOld) notePositions(read);
    },
  };
}

/** The jitter that an earlier run of this thread knew; undefined in the first run of the process. */
export function rememberedJitter(memory: Memory): number | undefined {
  return memory.recall<Status>(STATUS)?.jitter;
}
