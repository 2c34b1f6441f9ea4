import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import type { Change } from '../domain/event.ts';
import { changedAt, countScheduled, type Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Source } from '../source/source.ts';
import { openCorrections } from './corrections.ts';
import { type Crawl, crawl } from './crawl.ts';
import { appendEvents } from './event-log.ts';
import { findMissing } from './find-missing.ts';
import { checkNotEmpty } from './guard.ts';
import { mergeOngoing, mergeSchedule } from './merge-pages.ts';
import { diffOngoing, nextSnapshot } from './next-snapshot.ts';
import { countOmissions } from './omissions.ts';
import { checkLasted, noteShrinkage } from './shrink-guard.ts';
import type { Release, SnapshotStore } from './snapshot-store.ts';
import { afterFailure, afterSuccess, preferredMirror, type Status } from './source-state.ts';

const LEASE_POLL_MS = 100;

export interface RefreshOptions {
  source: Source;
  store: SnapshotStore;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** When the timer is to crawl next after a crawl that ends now; null where nothing is timed. */
  nextDue: () => number | null;
  /** The time between two moments of the timer; null where nothing is timed. */
  intervalMs: number | null;
}

export interface RefreshSummary {
  /** Pages read in all. */
  pages: number;
  anime: number;
  /** Groups of the schedule that have entries, and those entries. */
  groups: number;
  scheduled: number;
  changes: Change[];
}

export interface RefreshRequest {
  force: boolean;
  signal: AbortSignal;
  /** When the last attempt that the caller knows of ended, ms since 1970; without it, the last one there is now. */
  knownAttempt?: number | null;
}

export type Refresh = (request: RefreshRequest) => Promise<RefreshSummary>;

/**
 * The pipeline: crawl → merge → guard → snapshot. One at a time, across processes too: the second one waits and takes
 * over the result of the first. Throws AppError `source-…` when the crawl was not good; the last good
 * snapshot stands then.
 */
export function createRefresh({ source, store, report, now, nextDue, intervalMs }: RefreshOptions): Refresh {
  return async ({ force, signal, knownAttempt }) => {
    const before = knownAttempt === undefined ? (await store.readStatus()).attemptedAt : knownAttempt;
    const release = await waitForLease(signal);
    try {
      const status = await store.readStatus();
      const wasDone = status.attemptedAt !== null && status.attemptedAt !== before && !force;
      return wasDone ? await takeOver(status) : await refresh(status, force, signal);
    } finally {
      await release();
    }
  };

  async function refresh(status: Status, force: boolean, signal: AbortSignal): Promise<RefreshSummary> {
    const startedAt = performance.now();
    const lastGood = await store.readSnapshot();
    const corrections = openCorrections(status.corrections, now());
    try {
      const preferred = preferredMirror(status, source.mirrors);
      const crawled = await crawl({ source, preferred, lastGood, force, corrections, report, signal });
      const listing = merge(crawled, lastGood);
      checkNotEmpty(listing);
      const known = lastGood && { listing: lastGood, confirmedAt: status.refreshedAt ?? changedAt(lastGood) };
      status.shrinkage = noteShrinkage(listing, known, status.shrinkage, now());
      if (status.shrinkage && !force) checkLasted(status.shrinkage, now());
      return await accept(crawled, nextSnapshot(listing, lastGood, now()));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      status.corrections = corrections.list();
      const failed = afterFailure(status, now(), error, intervalMs);
      await store.writeStatus(failed);
      const isNews = failed.state !== status.state;
      report({ type: 'refresh-refused', error, isNews, hasSnapshot: lastGood !== undefined });
      throw error;
    }

    async function accept(crawled: Crawl, snapshot: Snapshot): Promise<RefreshSummary> {
      const { pages, asked, mirror } = crawled;
      const changes = diffOngoing(lastGood, snapshot);
      if (snapshot !== lastGood) await write(snapshot, lastGood ? changes : []);
      status.corrections = corrections.list();
      const askedMirror = source.mirrors.includes(asked) ? asked : status.askedMirror;
      const omissions = countOmissions(crawled, snapshot);
      const good = {
        ...{ mirror, askedMirror, changedAt: changedAt(snapshot), dueAt: nextDue() },
        ...omissions,
      };
      await store.writeStatus(afterSuccess(status, now(), good));
      if (status.mirror && status.mirror !== mirror)
        report({ type: 'mirror-changed', from: status.mirror, to: mirror });
      const summary = { pages: pages.length + 2, ...count(snapshot), changes };
      report({
        type: 'refresh-finished',
        ...summary,
        changes: changes.length,
        tookMs: performance.now() - startedAt,
      });
      return summary;
    }
  }

  /** Writes the events before the snapshot, which makes them visible all at once. The first snapshot has no events. */
  async function write(snapshot: Snapshot, changes: Change[]): Promise<void> {
    const last = snapshot.lastEvent;
    if (changes.length > 0) {
      const log = await store.readEvents(last);
      await store.writeEvents(appendEvents(log, changes, { last, at: changedAt(snapshot) }));
    }
    await store.writeSnapshot({ ...snapshot, lastEvent: last + changes.length });
  }

  function merge(crawled: Crawl, lastGood: Snapshot | undefined) {
    const schedule = mergeSchedule(crawled.schedule, lastGood?.schedule ?? []);
    const ongoing = mergeOngoing(crawled.pages, crawled.firstAgain, lastGood?.ongoing ?? []);
    for (const omission of [...schedule.omissions, ...ongoing.omissions])
      report({ type: 'card-omitted', ...omission });
    const listing = { schedule: schedule.part, ongoing: ongoing.part };
    for (const missing of findMissing(listing, lastGood, crawled))
      report({ type: 'anime-missing', ...missing });
    return listing;
  }

  async function takeOver(status: Status): Promise<RefreshSummary> {
    const snapshot = await store.readSnapshot();
    if (status.state === 'ok' && snapshot) return { pages: 0, ...count(snapshot), changes: [] };
    const code =
      status.state === null || status.state === 'ok' ? 'internal' : (`source-${status.state}` as const);
    throw new AppError(code, status.reason ?? 'the refresh that another process made left no snapshot');
  }

  async function waitForLease(signal: AbortSignal): Promise<Release> {
    let release = await store.lease();
    if (!release) report({ type: 'refresh-elsewhere' });
    while (!release) {
      await sleep(LEASE_POLL_MS, undefined, { signal });
      release = await store.lease();
    }
    return release;
  }
}

function count({ ongoing, schedule }: Snapshot): Pick<RefreshSummary, 'anime' | 'groups' | 'scheduled'> {
  const groups = schedule.filter((group) => group.animeList.length > 0).length;
  return { anime: ongoing.length, groups, scheduled: countScheduled(schedule) };
}
