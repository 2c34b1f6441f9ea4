import type { AnimeEvent } from '../domain/event.ts';
import type { Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import { coalesce } from '../domain/serial.ts';
import { refillWhenForgotten } from './refill-store.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Status } from './source-state.ts';
import { createStoreHealth, type StoreHealth } from './store-health.ts';
import { isSameSnapshot } from './stored-listing.ts';

const RETRY_MS = 1_000;
const RETRY_WRITE_MS = 2_000;

/** The last state of the store that this process has read, a few seconds old at most while the store answers. */
export interface SnapshotSync {
  snapshot(): Snapshot | undefined;
  status(): Status;
  health(): StoreHealth;
  stop(): void;
}

/** A new snapshot, and what is published with it. */
export interface SnapshotUpdate {
  snapshot: Snapshot;
  status: Status;
  /** The events of the last 30 days, up to the last one of the snapshot; oldest first. */
  events: readonly AnimeEvent[];
}

interface SnapshotSyncOptions {
  store: SnapshotStore;
  /** Called with a new snapshot before `snapshot()` returns it. */
  onSnapshot: (update: SnapshotUpdate) => Promise<void>;
  /** Called with each status read after the first, before `status()` returns it. */
  onStatus: (status: Status) => Promise<void>;
  /** Called after each load. */
  onLoaded?: () => void;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Loads the stored snapshot, then follows the writes of all processes. Throws when the first load fails. */
export async function syncSnapshot({
  store,
  onSnapshot,
  onStatus,
  onLoaded = () => {},
  report,
  now,
}: SnapshotSyncOptions): Promise<SnapshotSync> {
  const { noteAnswer, noteFailure, health } = createStoreHealth(store, report, now);
  let snapshot: Snapshot | undefined;
  let isStopped = false;
  let isRendered = true;
  let retry: NodeJS.Timeout | undefined;
  let status = await store.readStatus();
  await store.readListing();
  await adopt(status);

  const catchUp = coalesce(async () => {
    clearTimeout(retry);
    if (isStopped) return;
    await load().then(noteAnswer, (error: unknown) => {
      noteFailure(error);
      retryLater();
    });
  });
  const unwatch = store.watch(() => void catchUp());
  const retryingWrite = setInterval(() => void store.retryWrite(), RETRY_WRITE_MS);
  // What was written before it watched.
  void catchUp();

  /** Passes on the known snapshot if it is another one. */
  async function adopt(latestStatus: Status): Promise<void> {
    const { listing } = store.known();
    if (!listing || (snapshot && isSameSnapshot(listing.snapshot, snapshot))) return;
    const { snapshot: latest, events } = listing;
    await onSnapshot({ snapshot: latest, status: latestStatus, events });
    snapshot = latest;
  }

  async function load(): Promise<void> {
    if (!(await refillWhenForgotten({ store, report }))) retryLater();
    const latest = await store.readStatus();
    // A store that has forgotten it knows less than this process.
    if (latest.attemptedAt === null && status.attemptedAt !== null) return;
    // The status does not show whether the snapshot is new: a refresh may be killed before it writes its status.
    await adopt(latest)
      .then(() => onStatus(latest))
      .then(() => {
        isRendered = true;
      }, noteFailedRendering);
    status = latest;
    onLoaded();
  }

  /** Rendering has failed, not the store: readers keep the previous edition, and rendering is tried again. */
  function noteFailedRendering(error: unknown): void {
    if (isRendered) report({ type: 'render-failed', error });
    isRendered = false;
    retryLater();
  }

  function retryLater(): void {
    clearTimeout(retry);
    if (!isStopped) retry = setTimeout(catchUp, RETRY_MS);
  }

  return {
    snapshot: () => snapshot,
    status: () => status,
    health,
    stop() {
      isStopped = true;
      unwatch();
      clearInterval(retryingWrite);
      clearTimeout(retry);
    },
  };
}
