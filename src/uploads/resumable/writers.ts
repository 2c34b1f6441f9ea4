import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { uploadLocked } from '../resumable-storage.ts';

/** A writer that has received nothing for this long is stopped for another: its connection may be dead unnoticed. */
const SILENT_MS = 2_000;
/** How long a request waits for its turn. */
const MAX_WAIT_MS = 4_000;
const POLL_MS = 100;
/** How long a request for the offset waits for a writer whose connection may just have broken. */
const MAX_SETTLE_MS = 1_000;
/** How long a request for the offset waits for a writer that is storing its last bytes: a disk may be slow. */
const MAX_STORE_MS = 10_000;
const SETTLE_POLL_MS = 10;

/** The right to write to a resumable upload, held by one request of this process at a time. */
export interface Writer {
  /** Aborted when the writer has to stop for another request. */
  readonly signal: AbortSignal;
  /** Has to be called when bytes arrive. */
  noteBytes(): void;
  /** Has to be called when no more bytes will arrive. */
  noteEnd(): void;
  /** Has to be called in any case. */
  end(): void;
}

interface ActiveWriter {
  lastBytesAt: number;
  isEnding: boolean;
  abort: AbortController;
}

/** `elapsedMs`: monotonic clock. */
export function createWriters(elapsedMs: () => number) {
  const active = new Map<string, ActiveWriter>();

  /** Calls `attempt` until it does not throw AppError `locked`, for `MAX_WAIT_MS` at most. */
  async function waitTurn<T>(attempt: () => T | Promise<T>): Promise<T> {
    const deadline = elapsedMs() + MAX_WAIT_MS;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        const isLocked = error instanceof AppError && error.code === 'locked';
        if (!isLocked || elapsedMs() >= deadline) throw error;
      }
      await sleep(POLL_MS);
    }
  }

  function begin(key: string, isUrgent: boolean): Writer {
    const other = active.get(key);
    if (other) {
      if (isUrgent || elapsedMs() - other.lastBytesAt >= SILENT_MS) other.abort.abort(uploadLocked());
      throw uploadLocked();
    }
    const writer = { lastBytesAt: elapsedMs(), isEnding: false, abort: new AbortController() };
    active.set(key, writer);
    return {
      signal: writer.abort.signal,
      noteBytes() {
        writer.lastBytesAt = elapsedMs();
      },
      noteEnd() {
        writer.isEnding = true;
      },
      end: () => void active.delete(key),
    };
  }

  return {
    waitTurn,
    /** Resolves when no request of this process writes, or after `MAX_SETTLE_MS` or `MAX_STORE_MS`. */
    async settle(key: string): Promise<void> {
      const since = elapsedMs();
      for (let writer = active.get(key); writer; writer = active.get(key)) {
        const maxMs = writer.isEnding ? MAX_STORE_MS : MAX_SETTLE_MS;
        if (elapsedMs() - since >= maxMs) return;
        await sleep(SETTLE_POLL_MS);
      }
    },
    /**
     * Resolves when no other request of this process writes. Stops a silent writer, and with `isUrgent` any writer.
     * Throws AppError `locked` when it takes too long.
     */
    begin: (key: string, isUrgent: boolean): Promise<Writer> => waitTurn(() => begin(key, isUrgent)),
  };
}
