import type { Report } from '../domain/operational-event.ts';
import { coalesce } from '../domain/serial.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { storeFailureReason } from './store-failure.ts';

/** How often it is tried again what has failed. */
const RETRY_MS = 1_000;
/** Within this time after an outage, every process has read the store and restored lost data. */
const OTHERS_MS = 5_000;

/** Whether the store answers, and since when (ms since 1970). Public: it contains no address and no path. */
export interface StoreHealth {
  state: 'ok' | 'down';
  since: number;
  /** Why it is down, or cannot be written. */
  reason: string | null;
  /** Whether the last write of this process worked; null when it has not written. */
  writable: boolean | null;
  /** When this process last set a damaged store aside; ms since 1970, null when it has not. */
  damagedAt: number | null;
}

/** Follows the writes of all processes, and fills a store that has forgotten. */
export interface SnapshotSync {
  /**
   * Reads the store. Resolves with whether this process now has everything in the store. It is not certain for some
   * seconds after an outage or a loss: another process may know more, and write it back.
   */
  read(): Promise<boolean>;
  health(): StoreHealth;
  stop(): void;
}

interface SnapshotSyncOptions {
  store: SnapshotStore;
  /** Called after each reading: while the store answers, this process is a few seconds behind at most. */
  onLoaded: () => void;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** Monotonic clock, ms. */
  clock?: () => number;
}

/** Reports when the store begins and ends to fail. */
export function syncSnapshot({
  store,
  onLoaded,
  report,
  now,
  clock = () => performance.now(),
}: SnapshotSyncOptions): SnapshotSync {
  let read: Pick<StoreHealth, 'state' | 'since' | 'reason'> = { state: 'ok', since: now(), reason: null };
  /** Whether the last reading failed, or found that the store has forgotten something. */
  let isBehind = false;
  /** When a reading failed last, by the monotonic clock. */
  let failedAt = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  const catchUp = coalesce(async () => {
    if (isStopped) return;
    try {
      isBehind = !(await store.refill());
      onLoaded();
      noteAnswer();
    } catch (error) {
      isBehind = true;
      failedAt = clock();
      noteFailure(error);
    }
  });
  const unwatch = store.watch(() => void catchUp());
  const retrying = setInterval(() => {
    void store.retryWrite();
    if (isBehind) void catchUp();
  }, RETRY_MS);
  // What was written before it watched.
  void catchUp();

  function noteAnswer(): void {
    if (read.state === 'ok') return;
    report({ type: 'dependency-restored', name: 'store', downMs: now() - read.since });
    read = { state: 'ok', since: now(), reason: null };
  }

  function noteFailure(error: unknown): void {
    if (read.state === 'ok') report({ type: 'dependency-down', name: 'store', error });
    const since = read.state === 'ok' ? now() : read.since;
    read = { state: 'down', since, reason: storeFailureReason(error) };
  }

  return {
    async read() {
      await catchUp();
      return !isStopped && !isBehind && store.isSettled() && clock() - failedAt >= OTHERS_MS;
    },
    health() {
      const { writable, error } = store.lastWrite();
      const reason = read.reason ?? (writable === false ? storeFailureReason(error) : null);
      return { ...read, reason, writable, damagedAt: store.damagedAt() };
    },
    stop() {
      isStopped = true;
      unwatch();
      clearInterval(retrying);
    },
  };
}
