import { type BeliefMemory, NOTHING_REMEMBERED } from '../belief/memory.ts';
import type { Pending } from '../belief/pending.ts';
import type { SelectorRepair } from '../source/source.ts';

/**
 * What is stored of the source and of the attempts to read it, shared by all processes; times in ms since 1970. Each part has
 * one writer.
 */
export interface Status {
  /** How the source is (`crawler/source-health.ts`). */
  health: SourceHealth;
  /** When it was asked (`crawler/attempts.ts`). */
  attempts: Attempts;
  /** What the last good reading of page 1 shows (`crawler/reading-time.ts`). */
  reading: LastReading;
  /** The last good crawl (`crawler/crawl.ts`). */
  crawl: GoodCrawl;
  /** The origins that are asked (`crawler/used-mirrors.ts`). */
  mirrors: UsedMirrors;
  /** What the timer does next after the last good crawl or peek (`crawler/accept.ts`). */
  due: DueTimes;
  /** What the latest readings say against the snapshot. */
  belief: BeliefMemory;
  /** What the last crawl showed that waits for others to agree; null when nothing does. */
  pending: Pending | null;
  /** Whether a clock was wrong (`crawler/clock.ts`). */
  clock: ClockMemory;
  /** When the stored snapshot last changed; null without one. */
  changedAt: number | null;
  /** How many listed anime have a page whose last reading failed. */
  detailsFailed: number;
  /** A share (0 to 1) of the jitter, drawn once for all processes on a store, so that their timers fire together. */
  jitter: number;
}

/** How the source was at the last attempt. */
export type SourceState = 'ok' | 'blocked' | 'moved' | 'changed' | 'down';

export interface SourceHealth {
  /** Null before the first attempt. */
  state: SourceState | null;
  /** Since when the source has been in this state. */
  since: number | null;
  /** Since when the source has not been ok, in any of the other states; null when it is ok. */
  troubleSince: number | null;
  /** Why the source is not ok; null when it is. */
  reason: string | null;
  /** How it was on each of the last days, the oldest first. */
  days: SourceDay[];
}

/** For how long the source was in each state on a day of its calendar, in ms. */
export interface SourceDay {
  /** `2026-11-20` */
  date: string;
  ms: Partial<Record<SourceState, number>>;
}

export interface Attempts {
  /** The end of the last attempt, a crawl or a peek, whether it succeeded or not; null before the first. */
  attemptedAt: number | null;
  /** The end of the last crawl, whether it succeeded or not; null before the first. */
  crawledAt: number | null;
  /** Failed attempts since the last good one. */
  failures: number;
  /** The end of the backoff: the timer sends no request before it. Null without a backoff. */
  retryAt: number | null;
  /** When peeks led to a crawl, in the last 24 hours. */
  peekCrawls: number[];
}

/** Null before the first good reading, a crawl or a peek. */
export interface LastReading {
  /** Digest of page 1. */
  firstPage: string | null;
  /** The moment that it shows: when it was read, unless it was an old copy. */
  readAt: number | null;
  /** Since when page 1 has been the same, by what good readings show. */
  unchangedSince: number | null;
  /** Whether the source stood still: page 1 has been the same for hours, or is old by its own word. */
  standsStill: boolean;
}

export interface GoodCrawl {
  /** Its end; null before the first. */
  refreshedAt: number | null;
  /** How many of its cards were left out, and how many have the record of an earlier crawl. */
  omitted: number;
  keptFromBefore: number;
  /** The selectors that it read by in place of the written ones. */
  repaired: Repair[];
}

/** A selector that is used in place of the written one. */
export interface Repair extends SelectorRepair {
  /** The end of the crawl that first read by it, ms since 1970. */
  since: number;
}

export interface UsedMirrors {
  /** The origin that served the last good crawl; null before the first. */
  mirror: string | null;
  /** The configured origin that was requested then: `mirror` itself, or an origin that redirected to it. */
  askedMirror: string | null;
  /** When the origins failed that were tried before `mirror`; only failures of the last hour. */
  mirrorFailures: Record<string, number>;
}

export interface DueTimes {
  /** When the timer crawls next after the last good crawl; null without a timer. */
  dueAt: number | null;
  /** When page 1 is to be read next after the last good crawl or peek; null without peeks. */
  peekDueAt: number | null;
}

/** What shows later whether a clock was wrong; ms since 1970. */
export interface ClockMemory {
  /** Two attempts that are far apart: the later one may be of a clock that was ahead. `from`: null before the first one. */
  leap: { from: number | null; to: number } | null;
  /** Since when the clock has been behind stored times. */
  behindSince: number | null;
}

/** The status before the first attempt. */
export function initialStatus(jitter: number): Status {
  return {
    health: { state: null, since: null, troubleSince: null, reason: null, days: [] },
    attempts: { attemptedAt: null, crawledAt: null, failures: 0, retryAt: null, peekCrawls: [] },
    reading: { firstPage: null, readAt: null, unchangedSince: null, standsStill: false },
    crawl: { refreshedAt: null, omitted: 0, keptFromBefore: 0, repaired: [] },
    mirrors: { mirror: null, askedMirror: null, mirrorFailures: {} },
    due: { dueAt: null, peekDueAt: null },
    belief: NOTHING_REMEMBERED,
    pending: null,
    clock: { leap: null, behindSince: null },
    changedAt: null,
    detailsFailed: 0,
    jitter,
  };
}

/** The values that are not in a part. */
type LooseStatus = Pick<Status, 'belief' | 'pending' | 'clock' | 'changedAt' | 'detailsFailed' | 'jitter'>;

/** The parts side by side: as every version stores them, and as they are shown. */
export type FlatStatus = LooseStatus &
  SourceHealth &
  Attempts &
  LastReading &
  GoodCrawl &
  UsedMirrors &
  DueTimes;

export function flattenStatus(status: Status): FlatStatus {
  const { health, attempts, reading, crawl, mirrors, due, ...others } = status;
  return { ...others, ...health, ...attempts, ...reading, ...crawl, ...mirrors, ...due };
}

/** Reads a stored status. What an earlier version did not store is as it is in `initial`. */
export function parseStatus(stored: Partial<FlatStatus>, initial: Status): Status {
  const { health, attempts, reading, crawl, mirrors, due, ...others } = initial;
  return {
    ...readPart(stored, others),
    health: readPart(stored, health),
    attempts: readPart(stored, attempts),
    reading: readPart(stored, reading),
    crawl: readPart(stored, crawl),
    mirrors: readPart(stored, mirrors),
    due: readPart(stored, due),
  };
}

/** The stored values of the keys that a part has. */
function readPart<Part extends object>(stored: Partial<Part>, initial: Part): Part {
  const part = { ...initial };
  for (const key of Object.keys(initial) as (keyof Part)[]) {
    const value = stored[key];
    if (value !== undefined) part[key] = value;
  }
  return part;
}
