import { datedBefore, type ExpectedEpisode, sourceDate } from '../../domain/episode-history.ts';
import type { Snapshot } from '../../domain/listing.ts';
import { DAY_MS, HOUR_MS } from '../../domain/units.ts';
import { backoffEnd, isFromFuture, maxBackoffMs, type Status } from '../source-state.ts';
import { expectEpisodes } from './expected-times.ts';
import type { RefreshTimer } from './refresh-timer.ts';

const MAX_JITTER = 1 / 10;
/** Peeks are at most three times as far apart as REFRESH_PEEK, and their jitter. */
const MAX_PEEK_INTERVALS = 3 * (1 + MAX_JITTER);
/** An anime without an episode for longer needs no expected time: two thirds of the list are like that. */
const AIRING_MS = 28 * DAY_MS;
/** An episode that is late comes within this time more often than not. */
const LATE_PEEKS_MS = HOUR_MS;
/** Peeks may lead to one crawl for this many peeks: at the default of three minutes, to eight a day. */
const PEEKS_FOR_A_CRAWL = 60;

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

interface RefreshTimesOptions {
  /** Undefined in a process that does not crawl on a schedule. */
  timer: RefreshTimer | undefined;
  /** The time between two peeks; null for none. */
  peekMs: number | null;
  /** 0 to 1. */
  random: () => number;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

export function createRefreshTimes({ timer, peekMs, random, now }: RefreshTimesOptions): RefreshTimes {
  const crawlMs = timer?.intervalMs ?? 0;
  return {
    nextCrawl: () => timer?.nextFireTime() ?? null,
    nextPeek({ ongoing, details, episodeHistory = {} }) {
      if (!timer || peekMs === null) return null;
      const airingSince = sourceDate(now() - AIRING_MS);
      const airing = ongoing.filter(({ date }) => datedBefore(date, now()) > airingSince);
      const snapshot = { ongoing: airing, ...(details && { details }) };
      const expected = Object.values(expectEpisodes(snapshot, episodeHistory, now())).map(
        ({ earliest, latest }) => ({ earliest, latest: latest + LATE_PEEKS_MS }),
      );
      const waitMs = planPeek({ expected, airing: airing.length, peekMs, now: now() });
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

/** Around an expected time, peeks come at most this many times as often. */
const MAX_SPEEDUP = 3;
/** Elsewhere, peeks are at most this many times as far apart, if most airing anime have an expected time. */
const SLOWDOWN = 2;
const MIN_COVERAGE = 1 / 2;

interface PeekPlan {
  /** The expected episodes. */
  expected: readonly Pick<ExpectedEpisode, 'earliest' | 'latest'>[];
  /** How many anime of the list have had an episode lately. */
  airing: number;
  /** The time between two peeks where nothing is expected. */
  peekMs: number;
  now: number;
}

/**
 * How long to wait for the next peek, ms. Expected times only move peeks: a day has no more of them than with one every
 * `peekMs`. Windows take theirs from the rest of the day.
 */
export function planPeek({ expected, airing, peekMs, now }: PeekPlan): number {
  const windows = mergeWindows(expected, now, now + DAY_MS);
  const insideMs = windows.reduce((sum, [from, to]) => sum + to - from, 0);
  const isCovered = expected.length > airing * MIN_COVERAGE;
  const { fastMs, slowMs } = isCovered
    ? spreadPeeks(insideMs, DAY_MS / peekMs - windows.length, peekMs)
    : { fastMs: peekMs, slowMs: peekMs };
  const untilWindowMs = (windows[0]?.[0] ?? Infinity) - now;
  return untilWindowMs > 0 ? Math.min(slowMs, Math.max(untilWindowMs, fastMs)) : fastMs;
}

/** Splits the peeks of a day: as often as they may come in the windows, as long as the others stay frequent enough. */
function spreadPeeks(insideMs: number, peeks: number, peekMs: number): { fastMs: number; slowMs: number } {
  const outsideMs = DAY_MS - insideMs;
  const fastestMs = peekMs / MAX_SPEEDUP;
  const left = peeks - insideMs / fastestMs;
  const slowMs = left > 0 ? Math.min(outsideMs / left, SLOWDOWN * peekMs) : SLOWDOWN * peekMs;
  const fastMs = insideMs / (peeks - outsideMs / slowMs);
  return { slowMs, fastMs: fastMs > 0 ? Math.min(Math.max(fastMs, fastestMs), peekMs) : peekMs };
}

/** The windows between two moments, in order, without overlaps. */
function mergeWindows(windows: PeekPlan['expected'], start: number, end: number): [number, number][] {
  const merged: [number, number][] = [];
  for (const { earliest, latest } of windows.toSorted((a, b) => a.earliest - b.earliest)) {
    const [from, to] = [Math.max(earliest, start), Math.min(latest, end)];
    const last = merged.at(-1);
    if (from >= to) continue;
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
