import { AppError } from '../domain/errors.ts';
import { changedAt, type Listing, type Snapshot } from '../domain/listing.ts';
import type { CardOmission, Report } from '../domain/operational-event.ts';
import { DAY_MS, HOUR_MS } from '../domain/units.ts';
import type { Source } from '../source/source.ts';
import type { JudgeOptions } from './belief/compare.ts';
import type { PageVerdict } from './belief/judge.ts';
import type { BeliefMemory } from './belief/memory.ts';
import { PendingReading } from './belief/pending.ts';
import { type Crawl, crawl } from './crawl.ts';
import { findMissing } from './find-missing.ts';
import type { MirrorOptions, MirrorResult } from './mirrors.ts';
import { checkSize } from './page-checks.ts';
import { peek } from './peek.ts';
import { countEntries, type RefreshSummary } from './refresh-summary.ts';
import { noteRepairs } from './selector-repairs.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import {
  afterCrawl,
  afterFailure,
  afterPeek,
  afterPending,
  type GoodRead,
  mustCrawl,
  orderMirrors,
  type Status,
} from './source-state.ts';
import type { RefreshTimes } from './timing/refresh-times.ts';
import { writeListing } from './write-listing.ts';

/** For longer, an older page 1 than the believed one is not passed over. */
const MAX_PAGE_AGE_MS = DAY_MS;

export interface RefreshOptions {
  source: Source;
  store: SnapshotStore;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
  times: RefreshTimes;
}

/** One refresh under the lease. Its steps update `status`, which is written at the end. */
interface Attempt extends RefreshOptions {
  status: Status;
  lastGood: Snapshot | undefined;
  memory: BeliefMemory;
  force: boolean;
  signal: AbortSignal;
  /** By the monotonic clock, ms. */
  startedAt: number;
}

/**
 * Peek → belief → snapshot. Returns undefined when page 1 is not enough and a whole crawl has to follow. Throws like
 * `tryCrawl`.
 */
export async function tryPeek(attempt: Attempt, lastGood: Snapshot): Promise<RefreshSummary | undefined> {
  const { status, report } = attempt;
  if (mustCrawl(status) && allowCrawl(attempt)) return undefined;
  try {
    const options = {
      ...mirrorOptions(attempt, false),
      ...judgeOptions(attempt),
      firstPage: status.firstPage,
    };
    const { verdict, ...result } = await peek({ ...options, lastGood });
    if (!verdict) return await acceptPeek(attempt, result, lastGood);
    // What is pending keeps page 1 from adding up, until it is accepted or dropped.
    if (!verdict.ongoing && !status.pending && allowCrawl(attempt)) return undefined;
    const listing = { schedule: lastGood.schedule, ongoing: verdict.ongoing ?? verdict.news };
    checkSize(listing);
    reportOmissions(verdict.omissions, report);
    return await acceptPeek(attempt, result, listing, verdict);
  } catch (error) {
    const isUnclear = error instanceof AppError && error.code === 'source-changed';
    if (isUnclear && status.pending) return acceptPeek(attempt, undefined, lastGood);
    if (isUnclear && allowCrawl(attempt)) return undefined;
    return await fail(attempt, error);
  }
}

/** Crawl → belief → snapshot. Throws AppError `source-…` when the source was not good, or its reading is pending. */
export async function tryCrawl(attempt: Attempt): Promise<RefreshSummary> {
  const { status, now } = attempt;
  try {
    const crawled = await crawl({ ...mirrorOptions(attempt, true), ...judgeOptions(attempt) });
    return await acceptCrawl(attempt, crawled);
  } catch (error) {
    if (error instanceof PendingReading) return await keepPending(attempt, error);
    if (error instanceof AppError) status.crawledAt = now();
    return fail(attempt, error);
  }
}

function mirrorOptions(attempt: Attempt, mayRepair: boolean): MirrorOptions {
  const { source, status, lastGood, memory, report, signal, now } = attempt;
  const repairMemory = lastGood && { lastGood, repairs: status.repaired, mayRepair };
  const isOlder = (builtAt: number | undefined) => {
    const believedAt = memory.builtAt ?? 0;
    return builtAt !== undefined && builtAt < believedAt && believedAt > now() - MAX_PAGE_AGE_MS;
  };
  const mirrors = orderMirrors(status, source.mirrors, now());
  return { source, mirrors, repairMemory, isOlder, report, signal };
}

function judgeOptions({ lastGood, memory, force, now }: Attempt): JudgeOptions {
  return { lastGood, memory, force, now: now() };
}

async function acceptCrawl(attempt: Attempt, crawled: Crawl): Promise<RefreshSummary> {
  const { store, report, now, times, status, startedAt, lastGood } = attempt;
  const { listing, omissions, omitted, keptFromBefore } = crawled.verdict;
  if (!listing) throw new Error('a reading that is not pending has a listing');
  reportOmissions(omissions, report);
  for (const missing of findMissing(listing, lastGood, crawled))
    report({ type: 'anime-missing', ...missing });
  const { snapshot, changes } = await write(attempt, listing, crawled, crawled.verdict);
  const good = {
    ...goodRead(attempt, crawled, snapshot),
    ...{ omitted, keptFromBefore },
    repaired: noteRepairs(status.repaired, crawled.repairs, now(), report),
    dueAt: times.nextCrawl(),
  };
  await store.writeStatus(afterCrawl(status, now(), good));
  reportMirror(attempt, crawled);
  const summary = { pages: crawled.pages.length + 2, ...countEntries(snapshot), changes };
  const tookMs = performance.now() - startedAt;
  report({ type: 'refresh-finished', ...summary, changes: changes.length, tookMs });
  return summary;
}

/** Writes what is pending, with the news that can be told apart from it, and throws it. */
async function keepPending(attempt: Attempt, error: PendingReading): Promise<never> {
  const { store, now, status, lastGood } = attempt;
  const { verdict, ...read } = error.crawl;
  const { pending, listing, memory } = verdict;
  const result = { ...read, askedMirror: status.askedMirror ?? read.mirror, failed: [] };
  status.crawledAt = now();
  if (!lastGood || !listing || !pending) {
    await store.writeBelief(memory);
    return fail(attempt, error);
  }
  const { snapshot } = await write(attempt, listing, result, verdict);
  const good = { ...goodRead(attempt, result, snapshot), mirror: status.mirror };
  await store.writeStatus(afterPending(status, now(), pending, good));
  return refuse(attempt, error, status.state !== 'changed');
}

/** `result` is undefined when page 1 could not be read. */
async function acceptPeek(
  attempt: Attempt,
  result: Omit<MirrorResult, 'repairs'> | undefined,
  listing: Listing,
  verdict?: PageVerdict,
): Promise<RefreshSummary> {
  const { store, report, now, status, startedAt, lastGood } = attempt;
  const written = result && verdict && (await write(attempt, listing, result, verdict));
  const { snapshot = lastGood as Snapshot, changes = [] } = written ?? {};
  const isEnough = result && (!verdict || verdict.ongoing || status.pending);
  const good = isEnough ? goodRead(attempt, result, snapshot) : { changedAt: changedAt(snapshot) };
  await store.writeStatus(afterPeek(status, now(), good));
  if (result) reportMirror(attempt, result);
  report({ type: 'peek-finished', changes: changes.length, tookMs: performance.now() - startedAt });
  return { pages: 1, ...countEntries(snapshot), changes };
}

async function write(
  { store, now, lastGood }: Attempt,
  listing: Listing,
  { mirror }: Pick<MirrorResult, 'mirror'>,
  { memory, silent }: { memory: BeliefMemory; silent?: ReadonlySet<string> },
) {
  const written = await writeListing({ store, now, mirror, silent }, listing, lastGood);
  await store.writeBelief(memory);
  return written;
}

function reportOmissions(omissions: readonly CardOmission[], report: Report): void {
  for (const omission of omissions) report({ type: 'card-omitted', ...omission });
}

/** The part of the status that a good crawl and a good peek both update. */
function goodRead(
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
    peekDueAt: times.nextPeek(snapshot),
    changedAt: changedAt(snapshot),
  };
}

function reportMirror(
  { report, status: { mirror: from } }: Attempt,
  { mirror: to }: Pick<MirrorResult, 'mirror'>,
): void {
  if (from && from !== to) report({ type: 'mirror-changed', from, to });
}

/** Notes and allows a crawl after a peek, a few times a day: a source that never adds up is not crawled all day. */
function allowCrawl({ status, times, now }: Attempt): boolean {
  const recent = status.peekCrawls.filter((at) => at > now() - DAY_MS && at <= now());
  const isAllowed = recent.length < times.maxPeekCrawls;
  status.peekCrawls = isAllowed ? [...recent, now()] : recent;
  return isAllowed;
}

/** Writes and reports a refusal, and throws it. Other errors are thrown as they are. */
async function fail(attempt: Attempt, error: unknown): Promise<never> {
  const { store, now, times, status, lastGood } = attempt;
  if (!(error instanceof AppError)) throw error;
  const hasSnapshot = lastGood !== undefined;
  const failed = afterFailure(status, now(), error, { ...times, hasSnapshot });
  await store.writeStatus(failed);
  return refuse(attempt, error, failed.state !== status.state, failed.retryAt);
}

function refuse(
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
