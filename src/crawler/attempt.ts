import { AppError } from '../domain/errors.ts';
import type { Change } from '../domain/event.ts';
import { changedAt, countScheduled, type Listing, type Snapshot } from '../domain/listing.ts';
import type { CardOmission, Report } from '../domain/operational-event.ts';
import { HOUR_MS } from '../domain/units.ts';
import type { Source } from '../source/source.ts';
import type { JudgeOptions } from './belief/compare.ts';
import type { BeliefMemory } from './belief/memory.ts';
import type { MirrorResult } from './mirrors.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Status } from './source-state.ts';
import { afterFailure, type GoodRead } from './status-changes.ts';
import type { RefreshTimes } from './timing/refresh-times.ts';
import { writeListing } from './write-listing.ts';

export interface RefreshOptions {
  source: Source;
  store: SnapshotStore;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
  times: RefreshTimes;
}

/** One refresh under the lease. Its steps update `status`, which is written at the end. */
export interface Attempt extends RefreshOptions {
  status: Status;
  lastGood: Snapshot | undefined;
  force: boolean;
  signal: AbortSignal;
  /** By the monotonic clock, ms. */
  startedAt: number;
}

export function judgeOptions({ lastGood, status, force, now }: Attempt): JudgeOptions {
  return { lastGood, memory: status.belief, force, now: now() };
}

/** Writes the snapshot with its events, and notes what is believed from now on. */
export function write(
  { store, now, lastGood, status }: Attempt,
  listing: Listing,
  { mirror }: Pick<MirrorResult, 'mirror'>,
  { memory, silent }: { memory: BeliefMemory; silent?: ReadonlySet<string> },
) {
  status.belief = memory;
  return writeListing({ store, now, mirror, silent }, listing, lastGood);
}

export function reportOmissions(omissions: readonly CardOmission[], report: Report): void {
  for (const omission of omissions) report({ type: 'card-omitted', ...omission });
}

/** The part of the status that a good crawl and a good peek both update. */
export function goodRead(
  { source, times, status, now }: Attempt,
  { askedMirror, mirror, firstPage, failed }: Omit<MirrorResult, 'repairs'>,
  snapshot: Snapshot,
): GoodRead {
  const failures = Object.entries(status.mirrorFailures).filter(
    ([origin, at]) => origin !== askedMirror && at > now() - HOUR_MS,
  );
  return {
    mirror,
    mirrorFailures: Object.fromEntries([...failures, ...failed.map((origin) => [origin, now()] as const)]),
    askedMirror: source.mirrors.includes(askedMirror) ? askedMirror : status.askedMirror,
    firstPage,
    readAt: now(),
    peekDueAt: times.nextPeek(snapshot),
    changedAt: changedAt(snapshot),
  };
}

export function reportMirror(
  { report, status: { mirror: from } }: Attempt,
  { mirror: to }: Pick<MirrorResult, 'mirror'>,
): void {
  if (from && from !== to) report({ type: 'mirror-changed', from, to });
}

/** Writes and reports a refusal, and throws it. Other errors are thrown as they are. */
export async function fail(attempt: Attempt, error: unknown): Promise<never> {
  const { store, now, times, status, lastGood } = attempt;
  if (!(error instanceof AppError)) throw error;
  const hasSnapshot = lastGood !== undefined;
  const failed = afterFailure(status, now(), error, { ...times, hasSnapshot });
  await store.writeStatus(failed);
  return refuse(attempt, error, failed.state !== status.state, failed.retryAt);
}

export function refuse(
  { report, times, lastGood }: Attempt,
  error: AppError,
  isNews: boolean,
  retryAt: number | null = null,
): never {
  const hasSnapshot = lastGood !== undefined;
  const nextAttempt = times.afterFailure({ retryAt }, hasSnapshot);
  report({ type: 'refresh-refused', error, isNews, hasSnapshot, nextAttempt });
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
  return { anime: ongoing.length, groups, scheduled: countScheduled(schedule) };
}
