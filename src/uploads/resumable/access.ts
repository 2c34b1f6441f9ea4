import { AppError } from '../../domain/errors.ts';
import { isExpired, type UploadId } from '../../domain/upload.ts';
import { BYTELESS_LIFE_MS, type LockedUpload, type ResumableState } from '../resumable-storage.ts';
import type { Storage, StoredFile } from '../storage.ts';
import { keyOf } from './secrets.ts';
import { createWriters, type Writer } from './writers.ts';

interface AccessOptions {
  storage: Storage;
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** Monotonic clock, ms. */
  elapsedMs: () => number;
}

export interface FoundUpload {
  state: ResumableState;
  /** Undefined until the upload is complete. */
  file: StoredFile | undefined;
}

/** Finds resumable uploads by their secrets, and lets one request at a time write to each. */
export function createAccess({ storage, now, elapsedMs }: AccessOptions) {
  const writers = createWriters(elapsedMs);

  /** Throws AppError `not-found`, or `expired` for a secret whose time is over, even if there never was such an upload. */
  async function find(secret: UploadId): Promise<FoundUpload> {
    const state = await storage.resumable.find(keyOf(secret));
    const publishedAs = state?.publishedAs;
    const file = publishedAs && (await storage.open(publishedAs));
    if (isExpired(file ? publishedAs : secret, now()))
      throw new AppError('expired', 'this upload has expired; start it again');
    if (!state || isForgotten(state, now())) throw noSuchUpload();
    return { state, file };
  }

  /**
   * Waits until no other request of any process writes, then calls `work`. Throws AppError `locked` when that takes too
   * long. The writer is registered before anything is awaited, so that a HEAD right after it waits for it.
   */
  async function write<T>(
    secret: UploadId,
    work: (locked: LockedUpload, writer: Writer, key: UploadId) => Promise<T>,
    isUrgent = false,
  ): Promise<T> {
    const key = keyOf(secret);
    const writer = await writers.begin(key, isUrgent);
    try {
      await find(secret);
      const locked = await writers.waitTurn(() => storage.resumable.lock(key));
      if (!locked) throw noSuchUpload();
      try {
        return await work(locked, writer, key);
      } finally {
        await locked.release();
      }
    } finally {
      writer.end();
    }
  }

  /** Finds an upload once its last request has ended, so that a client gets the final offset. */
  async function findSettled(secret: UploadId): Promise<FoundUpload> {
    await writers.settle(keyOf(secret));
    return find(secret);
  }

  return { find, findSettled, write };
}

export function noSuchUpload(): AppError {
  return new AppError('not-found', 'there is no such upload: it was removed, or never existed');
}

/** Whether nothing of an upload has arrived in time: a sweep may be removing it. */
function isForgotten({ offset, announced }: ResumableState, now: number): boolean {
  return offset === 0 && announced.length > 0 && announced.createdAt + BYTELESS_LIFE_MS <= now;
}
