import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/report.ts';
import { formatSize } from '../domain/units.ts';
import { expiryOf } from '../domain/upload.ts';
import type { Storage, Usage } from './storage.ts';

const MINUTE_MS = 60_000;
const RETRY_MS = 10_000;

export interface QuotaOptions {
  /** All files together, in bytes. */
  totalBytes: number;
  /** One owner's files, in bytes. */
  ownerBytes: number;
}

/** Room that an upload on its way has been promised. */
export interface Reservation {
  /** The most that may come, in bytes: what was asked for, or what is left. */
  readonly bytes: number;
  /** Makes the promise as large as `bytes`, if it is smaller. Throws AppError `storage-full`. */
  grow(bytes: number): void;
  /** The upload is stored with this size, until this time: the rest of the promise is given back. */
  keep(size: number, expiresAt: number): void;
  /** Gives back what was not kept. Does nothing a second time. */
  release(): void;
}

/**
 * Counts what is stored and what is on its way, for each owner and in all. What expires is taken off by the minute,
 * so that no file needs an entry of its own.
 */
export function createQuota({ totalBytes, ownerBytes }: QuotaOptions) {
  const used = new Map<string, number>();
  const expiring = new Map<number, { files: number; owners: Map<string, number> }>();
  let usedInAll = 0;
  let files = 0;

  function add(owner: string, bytes: number): void {
    usedInAll += bytes;
    const sum = (used.get(owner) ?? 0) + bytes;
    if (sum === 0) used.delete(owner);
    else used.set(owner, sum);
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

  /** What is left for an owner. Throws AppError `storage-full` when that is nothing. */
  function roomFor(owner: string): number {
    const room = Math.min(ownerBytes - (used.get(owner) ?? 0), totalBytes - usedInAll);
    if (room > 0) return room;
    const isShareUsedUp = (used.get(owner) ?? 0) >= ownerBytes;
    throw full(isShareUsedUp ? `your share of ${formatSize(ownerBytes)} is used up` : 'the store is full');
  }

  /** Promises room for `bytes`, or for what is left if that is less. Throws AppError `storage-full` if nothing is. */
  function reserve(owner: string, bytes: number): Reservation {
    const granted = Math.min(bytes, roomFor(owner));
    let promised = granted;
    add(owner, promised);
    return {
      bytes: granted,
      grow(wanted) {
        if (wanted <= promised) return;
        const more = wanted - promised;
        if (roomFor(owner) < more) throw full('there is no room left for a file of this size');
        add(owner, more);
        promised = wanted;
      },
      keep(size, expiresAt) {
        add(owner, size - promised);
        schedule(owner, size, expiresAt);
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
    /** Counts what an earlier process stored. */
    count({ id, owner, size }: Usage): void {
      add(owner, size);
      schedule(owner, size, expiryOf(id) ?? 0);
    },
    /** Takes a removed file off. */
    forget(owner: string, size: number, expiresAt: number): void {
      const due = expiring.get(Math.ceil(expiresAt / MINUTE_MS));
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

function full(reason: string): AppError {
  return new AppError('storage-full', `${reason}; wait for files to expire, or delete some of yours`);
}

export interface CountOptions {
  storage: Storage;
  quota: Quota;
  report: Report;
  /** What was uploaded from then on counts itself; ms since 1970. */
  before: number;
  /** How long a store that could not be counted is left alone. */
  retryMs?: number;
}

/** Counts what earlier processes stored, in the background. Returns the way to stop. */
export function countStored(options: CountOptions): () => Promise<void> {
  const { storage, quota, report, before, retryMs = RETRY_MS } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  let seen = 0;

  async function count(): Promise<void> {
    for await (const usage of storage.usage()) {
      if (signal.aborted) return;
      seen += 1;
      const isAlive = (expiryOf(usage.id) ?? 0) > before;
      if (isAlive && usage.uploadedAt < before) quota.count(usage);
    }
  }

  /** A store that is away at the start is asked again; one that breaks off half-way would be counted twice. */
  async function countOnce(): Promise<void> {
    try {
      await count();
    } catch (error) {
      report({ type: 'store-failed', doing: 'counting what is stored', error });
      if (seen > 0) return;
      await sleep(retryMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await countOnce();
    }
  }

  const counting = countOnce();
  return async () => {
    stopped.abort();
    await counting;
  };
}
