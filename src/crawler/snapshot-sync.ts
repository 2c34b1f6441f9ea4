import type { AnimeEvent } from '../domain/event.ts';
import type { Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import { coalesce } from '../domain/serial.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Status } from './source-state.ts';
import { createStoreHealth, type StoreHealth } from './store-health.ts';

/** How often it is tried again what has failed. */
const RETRY_MS = 1_000;

/** The last state of the store that this process has read, a few seconds old at most while the store answers. */
export interface SnapshotSync {
  snapshot(): Snapshot | undefined;
  /** The events that belong to it. */
  events(): SnapshotUpdate['events'];
  status(): Status;
  health(): StoreHealth;
  stop(): void;
}

/** What is published of the store. */
export interface SnapshotUpdate {
  snapshot: Snapshot;
  status: Status;
  /** The events of the last 30 days, up to the last one of the snapshot; oldest first. */
  events: readonly AnimeEvent[];
}

interface SnapshotSyncOptions {
  store: SnapshotStore;
  /** Called after each load but the first. */
  onLoaded: () => void;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Loads the stored snapshot, then follows the writes of all processes. Throws when the first load fails. */
export async function syncSnapshot({
  store,
  onLoaded,
  report,
  now,
}: SnapshotSyncOptions): Promise<SnapshotSync> {
  const { noteAnswer, noteFailure, health } = createStoreHealth(store, report, now);
  /** Whether the last load failed, or the lease was not free to fill a store that has forgotten. */
  let isBehind = false;
  let isStopped = false;
  let status = await store.readStatus();
  await store.readListing();

  const catchUp = coalesce(async () => {
    if (isStopped) return;
    await load().then(noteAnswer, (error: unknown) => {
      isBehind = true;
      noteFailure(error);
    });
  });
  const unwatch = store.watch(() => void catchUp());
  const retrying = setInterval(() => {
    void store.retryWrite();
    if (isBehind) void catchUp();
  }, RETRY_MS);
  // What was written before it watched.
  void catchUp();

  async function load(): Promise<void> {
    const isFilled = await store.refill();
    const latest = await store.readStatus();
    isBehind = !isFilled;
    // A store that has forgotten it knows less than this process.
    if (latest.attemptedAt === null && status.attemptedAt !== null) return;
    status = latest;
    onLoaded();
  }

  return {
    snapshot: () => store.known().listing?.snapshot,
    events: () => store.known().listing?.events ?? [],
    status: () => status,
    health,
    stop() {
      isStopped = true;
      unwatch();
      clearInterval(retrying);
    },
  };
}
