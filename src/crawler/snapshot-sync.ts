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
  let snapshot: Snapshot | undefined;
  let events: SnapshotUpdate['events'] = [];
  let isStopped = false;
  let retry: NodeJS.Timeout | undefined;
  let status = await store.readStatus();
  await store.readListing();
  adopt();

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

  /** Takes the known snapshot if it is another one. */
  function adopt(): void {
    const { listing } = store.known();
    if (listing && !(snapshot && isSameSnapshot(listing.snapshot, snapshot)))
      ({ snapshot, events } = listing);
  }

  async function load(): Promise<void> {
    if (!(await refillWhenForgotten({ store, report }))) retryLater();
    const latest = await store.readStatus();
    // A store that has forgotten it knows less than this process.
    if (latest.attemptedAt === null && status.attemptedAt !== null) return;
    // The status does not show whether the snapshot is new: a refresh may be killed before it writes its status.
    adopt();
    status = latest;
    onLoaded();
  }

  function retryLater(): void {
    clearTimeout(retry);
    if (!isStopped) retry = setTimeout(catchUp, RETRY_MS);
  }

  return {
    snapshot: () => snapshot,
    events: () => events,
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
