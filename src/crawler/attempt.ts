import type { Report } from '../domain/operational-event.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { Source } from '../source/source.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { SourceState, Status } from '../store/source-status.ts';
import type { Lease } from '../store/store.ts';
import type { StoredListing } from '../store/stored-listing.ts';
import { noteAttempt } from './attempts.ts';
import { nextHealth } from './source-health.ts';
import type { RefreshTimes } from './timing/refresh-times.ts';

export interface RefreshOptions {
  source: Source;
  store: SnapshotStore;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
  times: RefreshTimes;
  /** Whether the pages of single anime may be read. */
  readsDetails?: boolean;
}

/** One refresh under the lease. Its steps update `status`, which is written at the end with their changes. */
export interface Attempt extends RefreshOptions {
  lease: Lease;
  status: Status;
  /** What the store had when the lease was taken, and the snapshot of it. */
  known: StoredListing | undefined;
  lastGood: Snapshot | undefined;
  force: boolean;
  signal: AbortSignal;
  /** By the monotonic clock, ms. */
  startedAt: number;
}

/** The status after an attempt that found this. It has no backoff. */
export function afterAttempt(
  { status, now }: Pick<Attempt, 'status' | 'now'>,
  state: SourceState,
  reason: string | null,
): Status {
  return {
    ...status,
    health: nextHealth(status, state, reason, now()),
    attempts: noteAttempt(status.attempts, now()),
  };
}
