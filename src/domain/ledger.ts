/**
 * Everything read about the releases of each anime, by slug: the statements of pages, and the announcements. It stores
 * no conclusions: history, expected times and events are computed from it (`belief/releases.ts`), so none outlives its
 * evidence.
 */
export type Ledger = Readonly<Record<string, Evidence>>;

/** What was read of the releases of one anime. */
export interface Evidence {
  /** The cards of the ongoing list, in the order in which they were first read: the last one is shown now. */
  cards: readonly CardReading[];
  /** Its own page, as it was read last. */
  page?: PageRows;
  /** Where announcements begin; absent until the ongoing list has it. */
  start?: Start;
  /** The episodes that were announced, or are not to be. */
  told: readonly Told[];
}

/** Stands for a reading made by a wrong clock. It is earlier than any other moment. */
export const UNKNOWN_TIME = 0;

/** A card as it was first read; ms since 1970. */
export interface CardReading {
  /** Null where the card has no number that can be read: something came out on that day. */
  episode: number | null;
  /** `2026-11-20` */
  date: string;
  at: number;
  /** The good reading before, which did not show it, or `UNKNOWN_TIME`. Absent where nobody knows when it appeared. */
  after?: number;
  /** Whether the card marks it as the last episode. */
  isLast?: true;
}

/** The episodes on the page of an anime. */
export interface PageRows {
  /** When the source built it, or else when it was read; ms since 1970. */
  at: number;
  /** The highest episode first. */
  rows: readonly Row[];
  /** The days of rows that are no episode, such as specials. */
  specials: readonly string[];
}

export interface Row {
  episode: number;
  /** The first day that the page gave it, `2026-11-20`: rows are put up again with another one. */
  date: string;
  /** The time in the head of the page, when this was the newest row; ms since 1970. */
  releasedAt?: number;
  isLast?: true;
}

/** The first listing of an anime: earlier episodes are not announced. */
export interface Start {
  /** The newest episode at that time. */
  episode: number;
  /** The day of its card. */
  date: string;
  /** ms since 1970 */
  at: number;
  /** Whether it joined an existing list, so that its first episode is a premiere. */
  isAdded: boolean;
}

export interface Told {
  episode: number;
  /** The day of that release, `2026-11-20`. */
  date: string;
  /** ms since 1970 */
  at: number;
  /** Whether it was seen to appear then; else it may have been out for days. */
  isSeen?: true;
  /** The number of its event; 0 where there is none. */
  event: number;
}
