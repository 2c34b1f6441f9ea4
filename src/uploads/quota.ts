import { AppError } from '../domain/errors.ts';
import { formatSize } from '../domain/units.ts';
import { expiryOf } from '../domain/upload.ts';

const MINUTE_MS = 60_000;

export interface QuotaOptions {
  /** All files together, in bytes. */
  totalBytes: number;
  /** One owner's files, in bytes. */
  ownerBytes: number;
  /** The shares that an owner's files count in, each with its limit in bytes; by default one for each owner. */
  sharesOf?: (owner: string, ownerBytes: number) => readonly Share[];
}

export interface Share {
  key: string;
  limit: number;
}

/** Room that an upload on its way has been promised. */
export interface Reservation {
  /** What is promised now, in bytes. */
  bytes(): number;
  /**
   * Makes the promise as large as `bytes` if it is smaller, and then larger by up to `ahead` if there is room. Throws
   * AppError `storage-full`.
   */
  grow(bytes: number, ahead?: number): void;
  /** The upload is stored and occupies this much, until this time: the rest of the promise is given back. */
  keep(occupied: number, expiresAt: number): void;
  /** Gives back what was not kept. Does nothing a second time. */
  release(): void;
}

/** A stored file, for the quota. */
export interface Counted {
  id: string;
  owner: string;
  /** What it occupies, in bytes. */
  size: number;
  /** Ms since 1970. */
  uploadedAt: number;
}

/** Known while earlier files are being counted; released afterwards, for it has an entry for each of them. */
interface Counting {
  before: number;
  counted: Set<string>;
  removed: Set<string>;
}

/**
 * Counts what is stored and what is on its way, for each share and in all. What expires is taken off by the minute,
 * so that no file needs an entry of its own.
 */
export function createQuota({ totalBytes, ownerBytes, sharesOf = ownShare }: QuotaOptions) {
  const used = new Map<string, number>();
  const expiring = new Map<number, { files: number; owners: Map<string, number> }>();
  let counting: Counting | undefined;
  let usedInAll = 0;
  let files = 0;

  function add(owner: string, bytes: number): void {
    usedInAll += bytes;
    for (const { key } of sharesOf(owner, ownerBytes)) {
      const sum = (used.get(key) ?? 0) + bytes;
      if (sum === 0) used.delete(key);
      else used.set(key, sum);
    }
  }

  /** Notes when bytes that have been added are to be taken off. */
  function schedule(owner: string, bytes: number, expiresAt: number): void {
    const minute = Math.ceil(expiresAt / MINUTE_MS);
    const due = expiring.get(minute) ?? { files: 0, owners: new Map<string, number>() };
    due.owners.set(owner, (due.owners.get(owner) ?? 0) + bytes);
    due.files += 1;
    files += 1;
    expiring.set(minute, due);
  }

  /** What is left for an owner, in bytes. Throws AppError `storage-full` when that is less than `bytes`. */
  function expectRoom(owner: string, bytes: number): number {
    const shares = sharesOf(owner, ownerBytes).map(({ key, limit }) => ({
      limit,
      left: limit - (used.get(key) ?? 0),
    }));
    const left = Math.min(totalBytes - usedInAll, ...shares.map((share) => share.left));
    if (left > 0 && left >= bytes) return left;
    if (left > 0) throw full('there is no room left for a file of this size');
    const usedUp = shares.find((share) => share.left <= 0);
    throw full(usedUp ? `your share of ${formatSize(usedUp.limit)} is used up` : 'the store is full');
  }

  /** Promises room for `bytes`, or for what is left if that is less. Throws AppError `storage-full` if nothing is. */
  function reserve(owner: string, bytes: number): Reservation {
    let promised = Math.min(bytes, expectRoom(owner, 0));
    add(owner, promised);
    return {
      bytes: () => promised,
      grow(wanted, ahead = 0) {
        if (wanted <= promised) return;
        const needed = wanted - promised;
        const more = Math.min(needed + ahead, expectRoom(owner, needed));
        add(owner, more);
        promised += more;
      },
      keep(occupied, expiresAt) {
        add(owner, occupied - promised);
        schedule(owner, occupied, expiresAt);
        promised = 0;
      },
      release() {
        add(owner, -promised);
        promised = 0;
      },
    };
  }

  return {
    reserve,
    expectRoom,
    /** From now on files uploaded before that time are counted. Returns the function that ends it. */
    startCounting(before: number): () => void {
      counting = { before, counted: new Set(), removed: new Set() };
      return () => {
        counting = undefined;
      };
    },
    /** Counts what an earlier process stored, once, unless it has been removed meanwhile. */
    count({ id, owner, size, uploadedAt }: Counted): void {
      if (counting) {
        const { before, counted, removed } = counting;
        if (uploadedAt >= before || removed.has(id) || counted.has(id)) return;
        counted.add(id);
      }
      add(owner, size);
      schedule(owner, size, expiryOf(id) ?? 0);
    },
    /** Takes a removed file off, if it has been counted. */
    forget({ id, owner, size, uploadedAt }: Counted): void {
      if (counting && uploadedAt < counting.before && !counting.counted.has(id)) {
        counting.removed.add(id);
        return;
      }
      const due = expiring.get(Math.ceil((expiryOf(id) ?? 0) / MINUTE_MS));
      if (!due?.owners.has(owner)) return;
      add(owner, -size);
      due.owners.set(owner, (due.owners.get(owner) ?? 0) - size);
      due.files -= 1;
      files -= 1;
    },
    /** Takes off what has expired. */
    expire(now: number): void {
      for (const [minute, due] of expiring) {
        if (minute * MINUTE_MS > now) continue;
        for (const [owner, bytes] of due.owners) add(owner, -bytes);
        files -= due.files;
        expiring.delete(minute);
      }
    },
    /** Bytes stored and on their way. */
    usedInAll: () => usedInAll,
    /** Files stored, and the bytes of those and of what is on its way. */
    stored: () => ({ bytes: usedInAll, files }),
  };
}

export type Quota = ReturnType<typeof createQuota>;

function ownShare(owner: string, ownerBytes: number): Share[] {
  return [{ key: owner, limit: ownerBytes }];
}

function full(reason: string): AppError {
  return new AppError('storage-full', `${reason}; wait for files to expire, or delete some of yours`);
}
