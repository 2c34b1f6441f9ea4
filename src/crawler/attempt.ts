import { renameInSnapshot } from '../belief/renames.ts';
import { AppError } from '../domain/errors.ts';
import type { Change } from '../domain/event.ts';
import { listEntries } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import { changedAt, type Snapshot } from '../domain/snapshot.ts';
import { HOUR_MS } from '../domain/units.ts';
import type { Source } from '../source/source.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Status } from '../store/source-status.ts';
import type { Lease } from '../store/store.ts';
import type { StoredListing } from '../store/stored-listing.ts';
import type { MirrorResult } from './mirrors.ts';
import { nextListing } from './next-listing.ts';
import { dateReading } from './reading-time.ts';
import { afterFailure, type GoodRead } from './status-changes.ts';
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

/** One refresh under the lease. Its steps update `status`, which is written at the end with what they change. */
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

/**
 * Writes what is believed of a reading, and in the same step how the source is: what `toStatus` makes of it. Reports what it
 * leaves out, unless it is pending.
 */
export async function accept(
  attempt: Attempt,
  {
    askedMirror,
    mirror,
    firstPage,
    builtAt,
    failed,
    verdict,
    asked = [],
    renames = [],
  }: Omit<MirrorResult, 'repairs'>,
  toStatus: (good: GoodRead) => Status,
): Promise<{ snapshot: Snapshot; changes: Change[] }> {
  const { source, store, times, lease, known, status, report, now } = attempt;
  if (verdict) status.belief = verdict.memory;
  if (verdict && !verdict.pending)
    for (const omission of verdict.omissions) report({ type: 'card-omitted', ...omission });
  // A clock that is behind does not say how long ago the last good reading was.
  const after = status.clock.behindSince === null ? (status.readAt ?? undefined) : 0;
  const base = known && { ...known, snapshot: renameInSnapshot(known.snapshot, renames, now()) };
  const dated = dateReading(status, { firstPage, builtAt }, status.belief.builtAt ?? 0, now());
  const reading = {
    at: now(),
    shownAt: dated.readAt ?? undefined,
    after,
    silent: verdict?.silent,
    unnumbered: verdict?.unnumbered,
  };
  const { stored, changes } = nextListing(
    { listing: verdict?.listing, reading, pages: asked, renames, mirror },
    renames.length > 0 ? base : known,
  );
  if (!stored) throw new Error('a reading that is not pending has a listing');
  const { snapshot } = stored;
  const failures = Object.entries(status.mirrorFailures).filter(
    ([origin, at]) => origin !== askedMirror && at > now() - HOUR_MS,
  );
  const next = toStatus({
    mirror,
    mirrorFailures: Object.fromEntries([...failures, ...failed.map((origin) => [origin, now()] as const)]),
    askedMirror: source.mirrors.includes(askedMirror) ? askedMirror : status.askedMirror,
    firstPage,
    ...dated,
    peekDueAt: times.nextPeek(snapshot),
    changedAt: changedAt(snapshot),
  });
  const isNew = snapshot !== known?.snapshot;
  await store.write(lease, { status: next, listing: isNew ? stored : undefined });
  const [from, to] = [status.mirror, next.mirror];
  if (from && to && from !== to) report({ type: 'mirror-changed', from, to });
  return { snapshot, changes };
}

/** Writes and reports a refusal, and throws it. Other errors are thrown as they are. */
export async function fail(attempt: Attempt, error: unknown): Promise<never> {
  const { store, lease, now, times, status, lastGood } = attempt;
  if (!(error instanceof AppError)) throw error;
  const failed = afterFailure(status, now(), error, { ...times, hasSnapshot: lastGood !== undefined });
  await store.write(lease, { status: failed });
  return refuseReading(attempt, error, failed);
}

/** Reports and throws a refusal. `refused`: the status because of it. */
export function refuseReading(
  { report, times, lastGood, status, now }: Attempt,
  error: AppError,
  refused: Status,
): never {
  const hasSnapshot = lastGood !== undefined;
  const nextAttempt = times.nextAttempt(refused, hasSnapshot, now())?.at ?? null;
  report({
    type: 'refresh-refused',
    error,
    isNews: refused.state !== status.state,
    hasSnapshot,
    nextAttempt,
  });
  throw error;
}

/** What came of a refresh. */
export interface RefreshSummary {
  /** Pages read in all. */
  pages: number;
  anime: number;
  /** Groups of the schedule that have entries, and those entries. */
  groups: number;
  scheduled: number;
  changes: Change[];
}

export function countEntries({
  ongoing,
  schedule,
}: Snapshot): Pick<RefreshSummary, 'anime' | 'groups' | 'scheduled'> {
  const groups = schedule.filter((group) => group.animeList.length > 0).length;
  return { anime: ongoing.length, groups, scheduled: listEntries(schedule).length };
}
