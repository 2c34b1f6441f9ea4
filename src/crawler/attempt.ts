import { decide, exceedsShare, type Verdict } from '../belief/decide.ts';
import { type Beliefs, gradeReading, type OwnPageFacts, type OwnPages } from '../belief/grade.ts';
import { hasLasted, mustAsk } from '../belief/needs.ts';
import { correctNumbers, mergePages, type Reading, type ReadPages } from '../belief/reading.ts';
import {
  findRenames,
  listPossibleRenames,
  type Rename,
  renameInMemory,
  renameInSnapshot,
  withNewSlugs,
} from '../belief/renames.ts';
import { countRival } from '../belief/rivals.ts';
import { keyOf, type Statement } from '../belief/statement.ts';
import { titleKey } from '../belief/titles.ts';
import { AppError } from '../domain/errors.ts';
import type { Change } from '../domain/event.ts';
import { changedAt, listEntries, type Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import { HOUR_MS } from '../domain/units.ts';
import { PageGone, type Source, type Visit } from '../source/source.ts';
import { checkOwnPage, type PageReading } from './details/record-details.ts';
import type { MirrorResult } from './mirrors.ts';
import { nextListing } from './next-listing.ts';
import { checkFamiliar, digestPage } from './page-checks.ts';
import { dateReading } from './reading-time.ts';
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

/** What a mirror shows, as it is judged. */
export interface JudgedRead {
  mirror: string;
  firstPage: string;
  builtAt: number | undefined;
  verdict: Verdict;
  /** The pages of anime that were read for it. */
  asked: readonly PageReading[];
  /** The anime whose slugs have been corrected. */
  renames: readonly Rename[];
}

/**
 * Judges what a mirror shows, with what the pages of single anime say where the list alone does not decide. Throws AppError for
 * a strange host.
 */
export async function judgeRead(
  visit: Visit,
  read: ReadPages,
  attempt: Attempt,
  isPeek: boolean,
): Promise<JudgedRead> {
  const { source, lastGood, status, force, now } = attempt;
  const mirror = visit.origin();
  if (!source.mirrors.includes(mirror)) checkFamiliar(mirror, read.pages, lastGood);
  const reading = mergePages(withNewSlugs(read, lastGood, now()), lastGood);
  const first = { lastGood, memory: status.belief };
  const slugs = listQuestions(reading, first, { isPeek, force, now: now() });
  const pages = await askPages(visit, slugs, reading, attempt);
  const ownPages = factsOf(pages);
  const found = isPeek ? [] : findRenames(reading, lastGood, japaneseIn(pages, lastGood));
  const renames = believedRenames(found, first, { now: now(), force });
  const beliefs = {
    lastGood: lastGood && renameInSnapshot(lastGood, renames, now()),
    memory: renameInMemory(status.belief, renames),
  };
  correctNumbers(reading, ownPages, beliefs.lastGood);
  const statements = gradeReading(reading, beliefs, { isPeek, ownPages });
  const asked = new Set(slugs);
  const verdict = decide(reading, statements, beliefs, { now: now(), force, isPeek, asked });
  return {
    mirror,
    firstPage: digestPage(read.firstAgain),
    builtAt: read.firstAgain.builtAt,
    verdict,
    asked: [...pages.values()].filter((one) => one !== 'gone'),
    renames,
  };
}

/** The corrected slugs that are believed: few at once, or more where they have lasted like any other change of so many. */
function believedRenames(
  found: readonly Rename[],
  { lastGood, memory }: Beliefs,
  { now, force }: { now: number; force: boolean },
): readonly Rename[] {
  const size = lastGood?.ongoing.length ?? 0;
  if (force || !exceedsShare(found.length, size)) return found;
  return found.filter(({ to }) => {
    const rival = memory.rivals[keyOf({ part: 'list', aspect: 'listed', slug: to })];
    return rival !== undefined && hasLasted({ ...rival, times: rival.times + 1 }, now);
  });
}

/** How many pages of anime a refresh reads because of what the list leaves open. */
const MAX_ASKED = 10;

/** The anime whose own pages decide what the list leaves open, the most urgent first. */
function listQuestions(
  reading: Reading,
  beliefs: Beliefs,
  { isPeek, force, now }: { isPeek: boolean; force: boolean; now: number },
): string[] {
  const { lastGood, memory } = beliefs;
  if (!lastGood) return [];
  // What an operator says is believed; which episodes came is still asked.
  const isOpen = ({ aspect }: Statement) => !force || aspect !== 'name';
  const statements = gradeReading(reading, beliefs, { isPeek }).filter(
    (one) => isOpen(one) && mustAsk(one, countRival(one, memory.rivals[keyOf(one)], now), now),
  );
  const order = ['release', 'listed', 'name', 'slot'];
  const sorted = statements.sort((one, other) => order.indexOf(one.aspect) - order.indexOf(other.aspect));
  const renamed = isPeek ? [] : listPossibleRenames(reading, lastGood);
  return [...new Set([...renamed, ...sorted.map(({ slug }) => slug)])].slice(0, MAX_ASKED);
}

/** The pages of these anime; `gone` where there is none. One that cannot be read, or has no episode, says nothing. */
async function askPages(
  visit: Visit,
  slugs: readonly string[],
  { list }: Reading,
  { readsDetails, lastGood, signal, now }: Attempt,
): Promise<Map<string, PageReading | 'gone'>> {
  const pages = new Map<string, PageReading | 'gone'>();
  for (const slug of readsDetails && lastGood ? slugs : []) {
    try {
      const page = await visit.readAnime(slug);
      const shown = list.get(slug);
      const title = (shown?.anime ?? shown?.record)?.title;
      checkOwnPage({ slug, page }, lastGood!, title === undefined ? [] : [title]);
      pages.set(slug, { slug, page, readAt: now() });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (error instanceof PageGone) pages.set(slug, 'gone');
    }
  }
  return pages;
}

/** What the pages of anime say that is asked of them. */
function factsOf(pages: ReadonlyMap<string, PageReading | 'gone'>): OwnPages {
  const facts = new Map<string, OwnPageFacts | 'gone'>();
  for (const [slug, reading] of pages) facts.set(slug, reading === 'gone' ? 'gone' : factsOfPage(reading));
  return facts;
}

function factsOfPage({ page: { titles, episodes, details } }: PageReading): OwnPageFacts {
  return {
    titles: new Set(titles.map(titleKey)),
    episodes: episodes.map(({ episode }) => episode).sort((a, b) => b - a),
    hasEnded: details.status === 'completed',
  };
}

/** The Japanese title of an anime by its page that was read now or before. */
function japaneseIn(pages: ReadonlyMap<string, PageReading | 'gone'>, lastGood: Snapshot | undefined) {
  return (slug: string): string | undefined => {
    const reading = pages.get(slug);
    const own = reading && reading !== 'gone' ? reading.page.details : lastGood?.details?.[slug]?.details;
    return own?.japanese ?? undefined;
  };
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
  const reading = { at: now(), after, silent: verdict?.silent, unnumbered: verdict?.unnumbered };
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
    ...dateReading(status, { firstPage, builtAt }, status.belief.builtAt ?? 0, now()),
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
  return refuse(attempt, error, failed);
}

/** Reports and throws a refusal. `refused`: the status because of it. */
export function refuse(
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
