import { datedBefore, sourceDate } from '../../domain/episode-history.ts';
import type { Snapshot } from '../../domain/listing.ts';
import { DAY_MS } from '../../domain/units.ts';
import { backoffEnd, isFromFuture, maxBackoffMs, type Status } from '../source-state.ts';
import { createCron } from './cron.ts';
import { expectEpisodes } from './expected-times.ts';
import { MAX_SLOWDOWN, planPeek } from './plan-peek.ts';

/** The longest delay after a run of the cron expression, when other installations send their requests too. */
const MAX_JITTER_MS = 60_000;
const SAMPLED_RUNS = 10;
const MAX_LOOKAHEAD_MS = 40 * DAY_MS;

/** The jitter of a peek, as a share of the time between two. */
const MAX_JITTER = 1 / 10;
/** Peeks are at most three times as far apart as REFRESH_PEEK, and their jitter. */
const MAX_PEEK_INTERVALS = 3 * (1 + MAX_JITTER);
/** An anime without an episode for longer needs no expected time: two thirds of the list are like that. */
const AIRING_MS = 28 * DAY_MS;
/** Peeks may lead to one crawl for this many peeks: at the default of three minutes, to eight a day. */
const PEEKS_FOR_A_CRAWL = 60;

/** How many attempts a day may be followed by a peek, as a share of one every REFRESH_PEEK. */
const MAX_SHARE_OF_DAY = 0.97;
/** Beyond that, peeks are so many times as far apart as planned. */
const BRAKE = 1.4;

/** When this installation crawls. */
export interface RefreshTimer {
  /** The first fire time after now that is not before `earliest`, with the jitter; ms since 1970. */
  nextFireTime(earliest?: number): number;
  /** The minimum time between two fire times, ms. */
  intervalMs: number;
}

/** `jitterShare`: this installation's share of the jitter, 0 to 1. `now`: wall clock, ms since 1970. */
export function createRefreshTimer(
  expression: string,
  timeZone: string,
  jitterShare: number,
  now: () => number,
): RefreshTimer {
  const nextRun = cacheNextRun(createCron(expression, timeZone));
  const intervalMs = findMinInterval(nextRun, now());
  const jitter = Math.round(jitterShare * Math.min(MAX_JITTER_MS, intervalMs / 2));
  return {
    intervalMs,
    nextFireTime: (earliest = 0) => nextRun(Math.max(now(), earliest - 1) - jitter) + jitter,
  };
}

/** Caches the next run until it is past. */
function cacheNextRun(nextRun: (after: number) => number): (after: number) => number {
  let known = { after: Number.POSITIVE_INFINITY, run: 0 };
  return (after) => {
    if (after < known.after || after >= known.run) known = { after, run: nextRun(after) };
    return known.run;
  };
}

function findMinInterval(nextRun: (after: number) => number, now: number): number {
  const first = nextRun(now);
  let run = first;
  let minMs = Number.POSITIVE_INFINITY;
  for (let count = 1; count < SAMPLED_RUNS && run < first + MAX_LOOKAHEAD_MS; count += 1) {
    const next = nextRun(run);
    minMs = Math.min(minMs, next - run);
    run = next;
  }
  return minMs;
}

/** The parts of a snapshot that determine the time of the next peek. */
type PeekedSnapshot = Pick<Snapshot, 'episodeHistory' | 'details' | 'ongoing'>;

/** When the source may be asked; ms, and ms since 1970. */
export interface RefreshTimes {
  /** When the timer crawls next after a crawl that ends now; null without a timer. */
  nextCrawl(): number | null;
  /** When page 1 is read next after an attempt that ends now; null without peeks. */
  nextPeek(snapshot: PeekedSnapshot): number | null;
  /** The time between two attempts, for the backoff; 0 without a timer. */
  intervalMs: number;
  /** The longest backoff. */
  maxMs: number;
  /** How many crawls a day peeks may lead to. */
  maxPeekCrawls: number;
  /** When the source is asked again after a failure; null without a timer. Without a snapshot only a backoff delays it. */
  afterFailure(failed: { retryAt: number | null }, hasSnapshot: boolean): number | null;
}

/**
 * `timer`: undefined in a process that does not crawl on a schedule. `peekMs`: the time between two peeks; null for none.
 * `now`: wall clock, ms since 1970. `random`: 0 to 1.
 */
export function createRefreshTimes(
  timer: RefreshTimer | undefined,
  peekMs: number | null,
  now: () => number,
  random: () => number,
): RefreshTimes {
  const crawlMs = timer?.intervalMs ?? 0;
  /** When attempts of the last day ended, ms since 1970. */
  let attempts: number[] = [];

  /** Notes an attempt that ends now. Returns whether the day has had as many as it may. */
  function noteAttempt(peekMs: number): boolean {
    attempts = [...attempts.filter((at) => at > now() - DAY_MS && at <= now()), now()];
    return attempts.length > (DAY_MS / peekMs) * MAX_SHARE_OF_DAY;
  }

  return {
    nextCrawl: () => timer?.nextFireTime() ?? null,
    nextPeek({ ongoing, details, episodeHistory = {} }) {
      if (!timer || peekMs === null) return null;
      const airingSince = sourceDate(now() - AIRING_MS);
      const airing = ongoing.filter(({ date }) => datedBefore(date, now()) > airingSince);
      const snapshot = { ongoing: airing, ...(details && { details }) };
      const expected = Object.values(expectEpisodes(snapshot, episodeHistory, now()));
      const plannedMs = planPeek({ expected, airing: airing.length, peekMs, now: now() });
      const waitMs = Math.min(plannedMs * (noteAttempt(peekMs) ? BRAKE : 1), MAX_SLOWDOWN * peekMs);
      const at = Math.round(now() + waitMs * (1 + MAX_JITTER * random()));
      const crawlAt = timer.nextFireTime();
      return crawlAt - at < waitMs / 2 ? crawlAt : at;
    },
    intervalMs: peekMs === null ? crawlMs : Math.min(peekMs, crawlMs),
    maxMs: maxBackoffMs(crawlMs),
    maxPeekCrawls: peekMs === null ? 0 : Math.ceil(DAY_MS / peekMs / PEEKS_FOR_A_CRAWL),
    afterFailure({ retryAt }, hasSnapshot) {
      if (!timer) return null;
      const waitMs = hasSnapshot ? (peekMs ?? Infinity) : 0;
      return Math.min(Math.max(now() + waitMs, retryAt ?? 0), timer.nextFireTime(retryAt ?? 0));
    },
  };
}

/** When the next peek is due, ms since 1970; Infinity while the times of the status cannot be used. */
export function nextPeekAt(status: Status, peekMs: number, now: number): number {
  const { state, attemptedAt, peekDueAt, dueAt } = status;
  if (attemptedAt === null || isFromFuture(status, now)) return Infinity;
  if (state !== 'ok') return Math.max(attemptedAt + peekMs, backoffEnd(status, now));
  const isPostponed = peekDueAt === null || peekDueAt <= attemptedAt;
  const at = isPostponed
    ? attemptedAt + peekMs
    : Math.min(peekDueAt, attemptedAt + MAX_PEEK_INTERVALS * peekMs);
  // A crawl at the same moment includes the peek.
  return at === dueAt ? at + peekMs : at;
}
