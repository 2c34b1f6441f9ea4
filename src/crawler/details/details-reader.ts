import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isUnreachable } from '../../domain/errors.ts';
import { listedSlugs } from '../../domain/listing.ts';
import type { Report } from '../../domain/operational-event.ts';
import { changedAt, leftAtOf, type Snapshot } from '../../domain/snapshot.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/units.ts';
import { PageGone, RedirectedError, type Source } from '../../source/source.ts';
import { createAlarm } from '../../store/alarm.ts';
import { startLeasedJob, waitForLease } from '../../store/leased-job.ts';
import type { SnapshotStore } from '../../store/snapshot-store.ts';
import type { Status } from '../../store/source-status.ts';
import type { Lease } from '../../store/store.ts';
import { orderMirrors } from '../used-mirrors.ts';
import { findDue, type ReadFailures } from './due-details.ts';
import { checkOwnPage, type PageReading, recordDetails } from './record-details.ts';

/** How often it looks whether the page of an anime is due, where the store does not change. */
const LOOK_EVERY_MS = 15_000;
const REFRESH_POLL_MS = 100;
/** So many pages are read, then written at once: each write makes a new edition. */
const MAX_BATCH = 10;
/** After so many refusals and outages in a row, none is read for a while, which doubles. */
const MAX_FAILURES_IN_ROW = 3;
const FIRST_PAUSE_MS = 15 * MINUTE_MS;
const MAX_PAUSE_MS = 6 * HOUR_MS;

interface DetailsOptions {
  store: SnapshotStore;
  /** Loads the modules that read the source when the first page is due. */
  source: () => Promise<Source>;
  /** Whether this process is refreshing: the listing comes first. */
  isRefreshing: () => boolean;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

export interface DetailsReader {
  /** Whether this process reads pages, or is about to read more. */
  isReading(): boolean;
  /** Aborts a reading under way and waits for its end. */
  stop(): Promise<void>;
}

/**
 * Reads the pages of single anime in the background, one after the other, in one process of those that share a store. A
 * failure affects only the details: it is counted, and the page is read again later.
 */
export function startDetailsReader(options: DetailsOptions): DetailsReader {
  const { store, report } = options;
  const readBatch = createBatchReader(options);
  let isReading = false;
  const noteReading = () => {
    isReading = true;
  };

  async function work(lease: Lease, signal: AbortSignal, noteStart: () => void): Promise<void> {
    const alarm = createAlarm(store, LOOK_EVERY_MS, signal);
    try {
      // The previous process may have written just before it released the lease.
      await store.readListing();
      while (!signal.aborted && (await lease.isHeld())) {
        const didRead = await readBatch(signal, noteReading);
        noteStart();
        if (didRead) continue;
        isReading = false;
        await alarm.wait();
      }
    } finally {
      isReading = false;
      alarm.stop();
    }
  }

  const stop = startLeasedJob({ store, name: 'details', doing: 'reading details', work, report });
  return { isReading: () => isReading, stop };
}

/**
 * Reads some due pages and writes their details. Resolves with whether it read any; `onReading`: called before the
 * first.
 */
type ReadBatch = (signal: AbortSignal, onReading?: () => void) => Promise<boolean>;

/** Remembers failures, so that they are not repeated at once. */
export function createBatchReader(options: DetailsOptions): ReadBatch {
  const { store, source, isRefreshing, report, now } = options;
  const failures = new Map<string, ReadFailures>();
  let rereads: number[] = [];
  let failuresInRow = 0;
  let pausedUntil = 0;

  function listDue(snapshot: Snapshot): string[] {
    const time = now();
    if (time < pausedUntil && pausedUntil < time + MAX_PAUSE_MS + MINUTE_MS) return [];
    return findDue(snapshot, { failures, rereads }, time);
  }

  async function readOne(
    slug: string,
    snapshot: Snapshot,
    status: Status,
    signal: AbortSignal,
  ): Promise<PageReading | undefined> {
    if (snapshot.details?.[slug]) rereads = [...rereads.filter((at) => at > now() - DAY_MS), now()];
    try {
      const { beginCrawl, mirrors } = await source();
      const [mirror = ''] = orderMirrors(status.mirrors, mirrors, now());
      const page = await beginCrawl(signal)(mirror).readAnime(slug);
      checkOwnPage({ slug, page }, snapshot);
      failures.delete(slug);
      failuresInRow = 0;
      return { slug, page, readAt: now() };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      noteFailure(slug, error);
      return undefined;
    }
  }

  function noteFailure(slug: string, error: AppError): void {
    failures.set(slug, { count: (failures.get(slug)?.count ?? 0) + 1, at: now() });
    report({ type: 'details-failed', slug, error });
    if (!isOfSource(error)) return;
    failuresInRow += 1;
    if (failuresInRow < MAX_FAILURES_IN_ROW && error.retryAfterMs === undefined) return;
    const pauseMs = FIRST_PAUSE_MS * 2 ** Math.max(0, failuresInRow - MAX_FAILURES_IN_ROW);
    pausedUntil = now() + Math.min(Math.max(pauseMs, error.retryAfterMs ?? 0), MAX_PAUSE_MS);
  }

  /** The lease `refresh` is held only for the write, so that a crawl never waits for a page. */
  async function write(
    readings: readonly PageReading[],
    snapshot: Snapshot,
    status: Status,
    signal: AbortSignal,
  ): Promise<void> {
    const listed = listedSlugs(snapshot);
    const left = leftAtOf(snapshot);
    for (const slug of failures.keys()) if (!listed.has(slug) && !left.has(slug)) failures.delete(slug);
    const detailsFailed = [...failures.keys()].filter((slug) => listed.has(slug)).length;
    if (signal.aborted || (readings.length === 0 && status.detailsFailed === detailsFailed)) return;
    const lease = await waitForLease(store, 'refresh', { signal });
    try {
      const { listing } = store.known();
      if (!listing) return;
      const next = recordDetails(listing.snapshot, readings, now());
      await store.write(lease, {
        status: { ...(await store.readStatus()), detailsFailed, changedAt: changedAt(next) },
        listing: readings.length > 0 ? { ...listing, snapshot: next } : undefined,
      });
    } finally {
      await lease.release();
    }
    if (readings.length > 0) report({ type: 'details-read', count: readings.length });
  }

  return async (signal, onReading = () => {}) => {
    const snapshot = store.known().listing?.snapshot;
    const due = snapshot ? listDue(snapshot).slice(0, MAX_BATCH) : [];
    if (!snapshot || due.length === 0) return false;
    const status = await store.readStatus();
    await store.requireWritable();
    // While the lists cannot be read, neither can these pages.
    if (status.health.state !== 'ok') return false;
    onReading();
    const readings: PageReading[] = [];
    for (const slug of due) {
      while (isRefreshing()) await sleep(REFRESH_POLL_MS, undefined, { signal });
      const reading = await readOne(slug, snapshot, status, signal);
      if (reading) readings.push(reading);
      if (pausedUntil > now()) break;
    }
    await write(readings, snapshot, status, signal);
    return readings.length > 0;
  };
}

/** Whether the source refuses or is away. A page that is not there says nothing of the next one. */
function isOfSource(error: AppError): boolean {
  return isUnreachable(error) && !(error instanceof RedirectedError || error instanceof PageGone);
}
