import { type BeliefMemory, NOTHING_REMEMBERED } from '../belief/memory.ts';
import type { Pending } from '../belief/pending.ts';
import type { SelectorRepair } from '../source/source.ts';

/** How the source was at the last attempt. */
export type SourceState = 'ok' | 'blocked' | 'moved' | 'changed' | 'down';

/** A selector that is used in place of the written one. */
export interface Repair extends SelectorRepair {
  /** The end of the crawl that first read by it, ms since 1970. */
  since: number;
}

/**
 * The stored state of the source and of the last attempts, shared by all processes; times in ms since 1970. `jitter`: a share
 * (0 to 1) of the jitter, drawn once for all processes on a store, so that their timers fire together.
 */
export interface Status {
  /** Null before the first attempt. */
  state: SourceState | null;
  /** Since when the source has been in this state. */
  since: number | null;
  /** Since when the source has not been ok, in any of the other states; null when it is ok. */
  troubleSince: number | null;
  /** How it was on each of the last days, the oldest first. */
  days: SourceDay[];
  /** Why the source is not ok; null when it is. */
  reason: string | null;
  /** The end of the last attempt, a crawl or a peek, whether it succeeded or not. */
  attemptedAt: number | null;
  /** The end of the last crawl, whether it succeeded or not. */
  crawledAt: number | null;
  /** Failed attempts since the last good one. */
  failures: number;
  /** The end of the backoff: the timer sends no request before it. Null without a backoff. */
  retryAt: number | null;
  /** The end of the last good crawl. */
  refreshedAt: number | null;
  /** The moment that the last good reading of page 1 shows: when it was read, unless it was an old copy. */
  readAt: number | null;
  /** Since when page 1 has been the same, by what good readings show; null before the first. */
  unchangedSince: number | null;
  /** Whether the source stood still at the last good reading: page 1 has been the same for hours, or is old by its own word. */
  standsStill: boolean;
  /** When the stored snapshot last changed. */
  changedAt: number | null;
  /** When the timer crawls next after the last good crawl; null without a timer. */
  dueAt: number | null;
  /** When page 1 is to be read next after the last good crawl or peek; null without peeks. */
  peekDueAt: number | null;
  /** Digest of page 1 as the last good crawl or peek read it. */
  firstPage: string | null;
  /** When peeks led to a crawl, in the last 24 hours. */
  peekCrawls: number[];
  /** The origin that served the last good crawl. */
  mirror: string | null;
  /** The configured origin that was requested then: `mirror` itself, or an origin that redirected to it. */
  askedMirror: string | null;
  /** Whether a clock was wrong. */
  clock: ClockMemory;
  /** When the origins failed that were tried before `mirror`; only failures of the last hour. */
  mirrorFailures: Record<string, number>;
  /** What the last crawl showed that waits for others to agree; null when nothing does. */
  pending: Pending | null;
  /** What the latest readings say against the snapshot. */
  belief: BeliefMemory;
  /** How many cards of the last good crawl were left out, and how many have the record of an earlier crawl. */
  omitted: number;
  keptFromBefore: number;
  /** The selectors that the last good crawl read by in place of the written ones. */
  repaired: Repair[];
  /** How many listed anime have a page whose last reading failed. */
  detailsFailed: number;
  jitter: number;
}

/** For how long the source was in each state on a day of its calendar, in ms. */
export interface SourceDay {
  /** `2026-11-20` */
  date: string;
  ms: Partial<Record<SourceState, number>>;
}

/** What shows later whether a clock was wrong; ms since 1970. */
export interface ClockMemory {
  /** Two attempts that are far apart: the later one may be of a clock that was ahead. `from`: null before the first one. */
  leap: { from: number | null; to: number } | null;
  /** Since when the clock has been behind what is stored. */
  behindSince: number | null;
}

/** The status before the first attempt. */
export function initialStatus(jitter: number): Status {
  return {
    state: null,
    since: null,
    troubleSince: null,
    days: [],
    reason: null,
    attemptedAt: null,
    crawledAt: null,
    failures: 0,
    retryAt: null,
    refreshedAt: null,
    readAt: null,
    unchangedSince: null,
    standsStill: false,
    changedAt: null,
    dueAt: null,
    peekDueAt: null,
    firstPage: null,
    peekCrawls: [],
    mirror: null,
    askedMirror: null,
    clock: { leap: null, behindSince: null },
    mirrorFailures: {},
    pending: null,
    belief: NOTHING_REMEMBERED,
    omitted: 0,
    keptFromBefore: 0,
    repaired: [],
    detailsFailed: 0,
    jitter,
  };
}
