import { NOTHING_REMEMBERED } from '../belief/memory.ts';
import { AppError } from '../domain/errors.ts';
import { waitForLease } from '../store/leased-job.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Status } from '../store/source-status.ts';
import type { Attempt, RefreshOptions } from './attempt.ts';
import { fitsList, readClock, withoutFuture } from './clock.ts';
import { tryCrawl } from './crawl.ts';
import { correctTimes } from './next-listing.ts';
import { tryPeek } from './peek.ts';
import { countEntries, type RefreshSummary } from './refresh-summary.ts';

interface RefreshRequest {
  force: boolean;
  signal: AbortSignal;
  /** Whether page 1 is enough if it adds up with the last good snapshot. Ignored without one. */
  isPeek?: boolean;
  /**
   * The end of the last crawl that the caller knows of, or for a peek, of the last attempt of any kind; ms since 1970.
   * By default, of the last one in the store.
   */
  knownAttempt?: number | null;
}

export type Refresh = (request: RefreshRequest) => Promise<RefreshSummary>;

/**
 * Refreshes the snapshot, one process at a time: the second one waits and takes over the result of the first. Throws
 * AppError `source-…` when the source was not good; the last good snapshot is kept then.
 */
export function createRefresh(options: RefreshOptions): Refresh {
  const { store, report } = options;
  return async ({ force, signal, isPeek = false, knownAttempt }) => {
    const lastAttempt = ({ attempts }: Status) => (isPeek ? attempts.attemptedAt : attempts.crawledAt);
    const before = knownAttempt === undefined ? lastAttempt(await store.readStatus()) : knownAttempt;
    const onWait = () => report({ type: 'refresh-elsewhere' });
    const lease = await waitForLease(store, 'refresh', { onWait, signal });
    try {
      const stored = withKnownMemory(await store.readStatus());
      const last = lastAttempt(stored);
      if (last !== null && last !== before && !force) return takeOverResult(store, stored);
      const clock = options.now();
      const of = store.known().listing;
      const isPlausible = fitsList(
        of?.snapshot.ongoing ?? [],
        clock,
        (stored.attempts.attemptedAt ?? clock) - clock,
      );
      const time = readClock(clock, stored.attempts.attemptedAt, stored.clock, isPlausible);
      const now = () => options.now() + time.now - clock;
      const known = time.wasAhead ? of && correctTimes(of, time.now) : of;
      const corrected = time.wasAhead ? withoutAhead(stored, time.now) : stored;
      const status = { ...corrected, clock: time.memory };
      // A store that cannot be written fails here, before the source is asked in vain.
      await store.requireWritable();
      await store.write(lease, { status, listing: known === of ? undefined : known });
      const lastGood = known?.snapshot;
      const attempt: Attempt = {
        ...options,
        now,
        lease,
        status,
        known,
        lastGood,
        force,
        signal,
        startedAt: performance.now(),
      };
      const peeked = isPeek && lastGood ? await tryPeek(attempt, lastGood) : undefined;
      return peeked ?? (await tryCrawl(attempt));
    } finally {
      await lease.release();
    }
  };
}

/** What an earlier version remembered of readings has another form: they count anew. */
function withKnownMemory(status: Status): Status {
  const { rivals, seen, ...others } = { ...NOTHING_REMEMBERED, ...status.belief };
  return { ...status, belief: { ...others, rivals, seen } };
}

/** The status after a clock was ahead. The last good reading was after the last attempt that is certain. */
function withoutAhead(status: Status, now: number): Status {
  const { leap, behindSince } = status.clock;
  const corrected = withoutFuture(status, now);
  return { ...corrected, reading: { ...corrected.reading, readAt: leap?.from ?? behindSince } };
}

/** Returns the result of the refresh that another process has just made. Throws its AppError if that failed. */
function takeOverResult(store: SnapshotStore, { health: { state, reason } }: Status): RefreshSummary {
  const snapshot = store.known().listing?.snapshot;
  if (state === 'ok' && snapshot) return { pages: 0, ...countEntries(snapshot), changes: [] };
  const code = state === null || state === 'ok' ? 'internal' : (`source-${state}` as const);
  throw new AppError(code, reason ?? 'the refresh that another process made left no snapshot');
}
