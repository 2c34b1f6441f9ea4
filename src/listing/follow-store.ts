import { describeError } from '../domain/errors.ts';
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
  health(): StoreHealth;
  stop(): void;
}

/** A new snapshot, and what belongs to it. */
export interface News {
  snapshot: Snapshot;
  status: Status;
  /** Those of the last 30 days, up to the snapshot's last one. */
  events: AnimeEvent[];
}

/** Whether the store answers, and since when it has or has not; ms since 1970. */
export interface StoreHealth {
  state: 'ok' | 'down';
  since: number;
  reason: string | null;
}

export interface FollowOptions {
  store: SnapshotStore;
  /** Called with what is new before it counts as the present. */
  onSnapshot: (news: News) => Promise<void>;
  /** Called with each status read after the first, before it counts as the present one. */
  onStatus: (status: Status) => Promise<void>;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Loads what is stored, then keeps up with whatever process writes. Throws when the first load fails. */
export async function followStore({
  store,
  onSnapshot,
  onStatus,
  report,
  now,
}: FollowOptions): Promise<StoreView> {
  let status = await store.readStatus();
  let snapshot: Snapshot | undefined;
  let health: StoreHealth = { state: 'ok', since: now(), reason: null };
  let isLoading = false;
  let isStale = false;
  let isStopped = false;
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
    // A store that came back empty knows less than this process: what was good stands until the next crawl.
    if (latest.attemptedAt === null && status.attemptedAt !== null) return;
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
      await load().then(noteAnswer, noteFailure);
    }
    isLoading = false;
  }

  function noteAnswer(): void {
    if (health.state === 'ok') return;
    report({ type: 'store-restored', downMs: now() - health.since });
    health = { state: 'ok', since: now(), reason: null };
  }

  function noteFailure(error: unknown): void {
    if (health.state === 'ok') report({ type: 'store-failed', doing: 'reading the snapshot', error });
    const since = health.state === 'ok' ? now() : health.since;
    health = { state: 'down', since, reason: describeError(error) };
    if (!isStopped) retry = setTimeout(catchUp, RETRY_MS);
  }

  return {
    snapshot: () => snapshot,
    status: () => status,
    health: () => health,
    stop() {
      isStopped = true;
      unwatch();
      clearTimeout(retry);
    },
  };
}
