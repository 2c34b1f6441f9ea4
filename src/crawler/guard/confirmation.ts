import { HOUR_MS } from '../../domain/units.ts';

const MIN_CRAWLS = 3;
const MIN_SPAN_MS = 6 * HOUR_MS;

/** How many crawls have shown something unlikely, and since when (ms since 1970). */
export interface Confirmation {
  firstSeenAt: number;
  crawls: number;
}

/** Counts one more crawl, after those of `before`. */
export function countCrawl(before: Confirmation | undefined, now: number): Confirmation {
  // A time in the future was stored while the clock was ahead.
  const firstSeenAt = Math.min(before?.firstSeenAt ?? now, now);
  return { firstSeenAt, crawls: (before?.crawls ?? 0) + 1 };
}

/** Whether three crawls over six hours have shown it, so that it is accepted. */
export function isConfirmed({ firstSeenAt, crawls }: Confirmation, now: number): boolean {
  return crawls >= MIN_CRAWLS && now - firstSeenAt >= MIN_SPAN_MS;
}
