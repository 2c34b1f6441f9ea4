import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { single } from '../../domain/serial.ts';
import { createUploadId, expiryOf, isExpired, type UploadId } from '../../domain/upload-id.ts';
import { SECRET_BYTES } from '../publish.ts';
import type { Storage, StoredFile } from '../storage.ts';
import {
  BYTELESS_LIFE_MS,
  type LockedUpload,
  type ResumableState,
  uploadLocked,
} from './resumable-storage.ts';

/** A writer that has received nothing for this long is stopped for another request: its connection may be dead unnoticed. */
const SILENT_MS = 1_000;
/** How long a request waits for its turn to write, or for a writer whose offset it wants. */
const MAX_WAIT_MS = 4_000;
const POLL_MS = 10;
/** How often a request checks whether another process is still writing. */
const POLL_OTHERS_MS = 200;
/** How often a silent writer checks whether another process is waiting. */
const LOOK_MS = 500;
/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface FoundUpload {
  state: ResumableState;
  /** Undefined until the upload is complete. */
  file: StoredFile | undefined;
}

/** An upload that a request writes to. */
export interface WritableUpload extends FoundUpload {
  key: UploadId;
  locked: LockedUpload;
  /** Aborted when the request has to stop: for another one, or because the time of the upload is over. */
  signal: AbortSignal;
  /** Has to be called when bytes arrive. */
  noteBytes(): void;
}

interface Writer {
  lastBytesAt: number;
  /** The `lastBytesAt` when a check last found it silent: it is stopped when the next check finds no change. */
  foundSilentAt: number | undefined;
  abort: AbortController;
}

/**
 * Finds resumable uploads by their secrets, and lets one request at a time write to each. `now` is a wall clock, in ms since
 * 1970, and `elapsedMs` a monotonic one.
 */
export function createAccess(storage: Storage, now: () => number, elapsedMs: () => number) {
  const writers = new Map<UploadId, Writer>();

  /** Whether two checks have found it silent. Between them, a process that got no CPU time reads the bytes that have come. */
  function isSilent(writer: Writer): boolean {
    const { lastBytesAt, foundSilentAt } = writer;
    if (elapsedMs() - lastBytesAt < SILENT_MS) return false;
    writer.foundSilentAt = lastBytesAt;
    return foundSilentAt === lastBytesAt;
  }

  /** Throws AppError `not-found`, or `expired` for a secret whose time is over, even if there never was such an upload. */
  async function requireLive(secret: UploadId, state: ResumableState | undefined): Promise<FoundUpload> {
    const publishedAs = state?.publishedAs;
    const file = publishedAs && (await storage.open(publishedAs));
    if (isExpired(file ? publishedAs : secret, now())) throw uploadExpired();
    if (!state || isForgotten(state, now())) throw noSuchUpload();
    return { state, file };
  }

  /** Calls `attempt` again while it throws AppError `locked`, for `MAX_WAIT_MS` at most. */
  async function waitTurn<T>(attempt: () => T | Promise<T>, pollMs = POLL_MS): Promise<T> {
    const deadline = elapsedMs() + MAX_WAIT_MS;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        const isLocked = error instanceof AppError && error.code === 'locked';
        if (!isLocked || elapsedMs() >= deadline) throw error;
      }
      await sleep(pollMs);
    }
  }

  /**
   * Throws AppError `locked` while another request of this process writes. Stops that request if it is silent, or if this
   * request is urgent.
   */
  function requireTurn(key: UploadId, isUrgent = false): void {
    const other = writers.get(key);
    if (!other) return;
    if (isUrgent || isSilent(other)) other.abort.abort(uploadLocked());
    throw uploadLocked();
  }

  /** Asks another process that writes to stop, and waits until it does. Throws AppError `locked` when that takes too long. */
  async function waitForOthers(key: UploadId): Promise<void> {
    const { resumable } = storage;
    let isRequested = false;
    async function requireNobody(): Promise<void> {
      if (!(await resumable.isHeld(key, elapsedMs()))) return;
      if (!isRequested) {
        isRequested = true;
        // If this cannot be stored, only the other process itself can end its request in time.
        await resumable.requestTurn(key).catch(() => {});
      }
      throw uploadLocked();
    }
    try {
      await waitTurn(requireNobody, POLL_OTHERS_MS);
    } finally {
      if (isRequested) await resumable.endRequest(key).catch(() => {});
    }
  }

  /** Stops a writer that is silent while another process waits. Returns a function that ends the watch. */
  function watchRequests(key: UploadId, writer: Writer): () => void {
    const { resumable } = storage;
    const look = single(async () => {
      if (!isSilent(writer) || !(await resumable.isTurnRequested(key))) return;
      writer.abort.abort(uploadLocked());
      // A process that died while it waited must not stop the next writer too.
      await resumable.endRequest(key);
    });
    const timer = setInterval(() => look().catch(() => {}), LOOK_MS).unref();
    return () => clearInterval(timer);
  }

  function begin(key: UploadId, isUrgent: boolean): Writer {
    requireTurn(key, isUrgent);
    const writer = { lastBytesAt: elapsedMs(), foundSilentAt: undefined, abort: new AbortController() };
    writers.set(key, writer);
    return writer;
  }

  /**
   * Waits until no other request of any process writes, then calls `work`. Throws as `find` does, and AppError `locked` when
   * that takes too long. The writer is registered before anything is awaited, so that a HEAD right after it waits for it.
   */
  async function write<T>(secret: UploadId, work: (upload: WritableUpload) => Promise<T>, isUrgent = false) {
    const key = keyOf(secret);
    const writer = await waitTurn(() => begin(key, isUrgent));
    const { signal } = writer.abort;
    const expire = () => writer.abort.abort(uploadExpired());
    const timer = setTimeout(expire, Math.min(Math.max(expiryOf(secret) - now(), 0), MAX_TIMER_MS)).unref();
    const unwatch = watchRequests(key, writer);
    const noteBytes = () => {
      writer.lastBytesAt = elapsedMs();
    };
    try {
      await waitForOthers(key);
      const locked = await waitTurn(() => storage.resumable.lock(key));
      try {
        const found = await requireLive(secret, locked?.state);
        return await work({ ...found, key, locked: locked!, signal, noteBytes });
      } finally {
        await locked?.release();
      }
    } finally {
      clearTimeout(timer);
      unwatch();
      writers.delete(key);
    }
  }

  /** Finds an upload. While a request is still writing, its offset may grow. */
  async function find(secret: UploadId): Promise<FoundUpload> {
    const key = keyOf(secret);
    await waitTurn(() => {
      if (writers.has(key)) throw uploadLocked();
    }).catch(() => {});
    return requireLive(secret, await storage.resumable.find(key));
  }

  /**
   * Finds an upload for a client that wants to continue it: the offset changes only when somebody continues. Stops a silent
   * writer in any process, and throws AppError `locked` while bytes arrive.
   */
  async function findIdle(secret: UploadId): Promise<FoundUpload> {
    const key = keyOf(secret);
    await waitTurn(() => requireTurn(key));
    await waitForOthers(key);
    return find(secret);
  }

  return { find, findIdle, write };
}

function uploadExpired(): AppError {
  return new AppError('expired', 'this upload has expired; start it again');
}

export function noSuchUpload(): AppError {
  return new AppError('not-found', 'there is no such upload: it was removed, or never existed');
}

/** Whether nothing of an upload has arrived in time: a sweep may be removing it. */
function isForgotten({ offset, announced }: ResumableState, now: number): boolean {
  return offset === 0 && announced.length > 0 && announced.createdAt + BYTELESS_LIFE_MS <= now;
}

/*
 * The address of a resumable upload holds a secret, with which anyone can continue, read and remove the upload. What is
 * stored is derived from the secret, so that reading the storage does not allow any of that.
 */

/** The key under which an upload is stored; it carries the same expiry as the secret. */
export function keyOf(secret: UploadId): UploadId {
  return createUploadId(expiryOf(secret), derive('key', secret));
}

/** The secret that deletes the file once the upload is complete. */
export function deleteKeyOf(secret: UploadId): string {
  return derive('delete', secret).toString('base64url');
}

function derive(purpose: string, secret: UploadId): Buffer {
  return createHash('sha256').update(`${purpose} ${secret}`).digest().subarray(0, SECRET_BYTES);
}
