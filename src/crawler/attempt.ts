import { AppError } from '../domain/errors.ts';
import type { Change } from '../domain/event.ts';
import { changedAt, countScheduled, type Listing, type Snapshot } from '../domain/listing.ts';
import type { CardOmission, Report } from '../domain/operational-event.ts';
import { HOUR_MS } from '../domain/units.ts';
import type { Source, Visit } from '../source/source.ts';
import type { Difference } from './belief/compare.ts';
import { judge, type Verdict } from './belief/judge.ts';
import type { BeliefMemory } from './belief/memory.ts';
import type { ReadPages } from './belief/reading.ts';
import type { MirrorResult } from './mirrors.ts';
import { nextListing } from './next-listing.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Status } from './source-state.ts';
import { afterFailure, type GoodRead } from './status-changes.ts';
import type { Lease } from './store.ts';
import type { StoredListing } from './stored-listing.ts';
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

/** Judges what was read; where numbers jump, with what the pages of these anime say. */
export async function judgeRead(
  visit: Visit,
  read: ReadPages,
  attempt: Attempt,
  isPeek: boolean,
): Promise<Verdict> {
  const { lastGood, status, force, now } = attempt;
  const options = { lastGood, memory: status.belief, force, isPeek, now: now() };
  const first = judge(read, options);
  const answers = await askPages(visit, first.jumps, attempt);
  return answers.size > 0 ? judge(read, { ...options, answers }) : first;
}

/** How many pages of anime a refresh reads because of their numbers. */
const MAX_ASKED = 10;

/** Whether the pages of anime have the episodes that jump, by slug. A page that cannot be read says nothing. */
async function askPages(
  visit: Visit,
  jumps: readonly Difference[],
  { readsDetails, signal }: Attempt,
): Promise<Map<string, boolean>> {
  const answers = new Map<string, boolean>();
  for (const { slug, jump = 0 } of readsDetails ? jumps.slice(0, MAX_ASKED) : []) {
    const page = await visit.readAnime(slug).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
    });
    if (page)
      answers.set(
        slug,
        page.episodes.some(({ episode }) => episode >= jump),
      );
  }
  return answers;
}

/** The listing that follows what is known, which `save` writes. Notes what is believed from now on. */
export function follow(
  { now, known, status }: Attempt,
  read: Listing,
  { mirror }: Pick<MirrorResult, 'mirror'>,
  { memory, silent }: { memory: BeliefMemory; silent?: ReadonlySet<string> },
) {
  status.belief = memory;
  return nextListing(read, known, { now: now(), mirror, silent, readAt: status.readAt });
}

/** Writes how the source is, with the listing where that has changed, in one step. */
export async function save(
  { store, lease, known }: Attempt,
  status: Status,
  listing: StoredListing | undefined = known,
): Promise<void> {
  await store.write(lease, { status, listing: listing === known ? undefined : listing });
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
  const { now, times, status, lastGood } = attempt;
  if (!(error instanceof AppError)) throw error;
  const hasSnapshot = lastGood !== undefined;
  const failed = afterFailure(status, now(), error, { ...times, hasSnapshot });
  await save(attempt, failed);
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
