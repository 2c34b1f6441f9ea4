import type { AnimeEvent } from '../domain/event.ts';
import { changedAt, type Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/report.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Status } from './source-state.ts';

const RETRY_MS = 1_000;

/** What this process knows of the store: always something, never older than a few seconds while the store answers. */
export interface StoreView {
  snapshot(): Snapshot | undefined;
  status(): Status;
  stop(): void;
}

/** A new snapshot, and what belongs to it. */
export interface News {
  snapshot: Snapshot;
  status: Status;
  /** Those of the last 30 days, up to the snapshot's last one. */
  events: AnimeEvent[];
}

export interface FollowOptions {
  store: SnapshotStore;
  /** Called with what is new before it counts as the present. */
  onSnapshot: (news: News) => Promise<void>;
  /** Called with each status read after the first, before it counts as the present one. */
  onStatus: (status: Status) => Promise<void>;
  report: Report;
}

/** Loads what is stored, then keeps up with whatever process writes. Throws when the first load fails. */
export async function followStore({
  store,
  onSnapshot,
  onStatus,
  report,
}: FollowOptions): Promise<StoreView> {
  let status = await store.readStatus();
  let snapshot: Snapshot | undefined;
  let isLoading = false;
  let isStale = false;
  let retry: NodeJS.Timeout | undefined;

  await adopt(await store.readSnapshot(), status);
  const unwatch = store.watch(catchUp);

  async function adopt(latest: Snapshot | undefined, latestStatus: Status): Promise<void> {
    if (!latest || (snapshot && changedAt(latest) === changedAt(snapshot))) return;
    const events = await store.readEvents(latest.lastEvent);
    await onSnapshot({ snapshot: latest, status: latestStatus, events });
    snapshot = latest;
  }

  async function load(): Promise<void> {
    const latest = await store.readStatus();
    if (!snapshot || latest.changedAt !== changedAt(snapshot))
      await adopt(await store.readSnapshot(), latest);
    await onStatus(latest);
    status = latest;
  }

  /** One load at a time; a notice that comes meanwhile leads to one more. */
  async function catchUp(): Promise<void> {
    clearTimeout(retry);
    isStale = true;
    if (isLoading) return;
    isLoading = true;
    while (isStale) {
      isStale = false;
      await load().catch((error: unknown) => {
        report({ type: 'store-failed', doing: 'reading the snapshot', error });
        retry = setTimeout(catchUp, RETRY_MS);
      });
    }
    isLoading = false;
  }

  return {
    snapshot: () => snapshot,
    status: () => status,
    stop() {
      unwatch();
      clearTimeout(retry);
    },
  };
}
