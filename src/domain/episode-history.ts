import { sourceDate } from './source-date.ts';
import { DAY_MS, MINUTE_MS, WEEK_MS } from './units.ts';

/** When an episode came out. At least a date or a time is present. */
export interface EpisodeRelease {
  episode: number;
  /** When a crawl or a peek first saw it, half an hour after one that did not at most; ms since 1970. */
  seenAt?: number;
  /** When the source put it on its list, ms since 1970, by its own word. */
  releasedAt?: number;
  /** The first day that the source gave it, `2026-11-20`. */
  date?: string;
  /** Whether the source marks it as the last one. */
  isLast?: true;
}

/** A day on which something came out that has no readable number, or is a special. */
export interface UnnumberedRelease {
  /** The day that the source gave it, `2026-11-20`. */
  date: string;
  /** When it was first seen, ms since 1970; absent if nobody saw it appear. */
  at?: number;
}

/** The releases of each anime by slug, newest first, at most 13. */
export type EpisodeHistory = Readonly<Record<string, readonly EpisodeRelease[]>>;

/** When the next episode of an anime is expected; ms since 1970. */
export interface ExpectedEpisode {
  episode: number;
  expectedAt: number;
  /** The window that holds at least eight of ten releases. */
  earliest: number;
  latest: number;
  /** The time between two episodes: a week, or two. */
  periodMs: number;
  /** How many days with a release agree on that time; `broadcast` if it comes from the broadcast in Japan. */
  basis: number | 'broadcast';
  /** Whether the source was read well after the window, without the episode. */
  late: boolean;
  /** Whether the window is over and the source was not read well since: the episode may be out. */
  unseen: boolean;
}

/** The next episodes by slug: null if no more are expected, absent if there is no time. */
export type Expectations = Readonly<Record<string, ExpectedEpisode | null>>;

/** An episode is late, or unseen, for so long after its window; then the one of the next slot is expected. */
export const LATE_MS = 3 * DAY_MS;

/** The best time of a release, ms since 1970; undefined if there is only a day. */
export function releaseTime({ releasedAt, seenAt }: EpisodeRelease): number | undefined {
  return releasedAt ?? seenAt;
}

/** The day of a release at the source, `2026-11-20`. */
export function releaseDay(release: EpisodeRelease): string {
  return release.date ?? sourceDate(releaseTime(release) ?? 0);
}

/** Older releases do not predict the next one. */
const MAX_TIMES = 5;
const ROUNDED_TO_MS = 5 * MINUTE_MS;

/**
 * The usual slot of the newest episodes in the week, as a moment in ms since 1970: the median. Undefined if none has a
 * time.
 */
export function usualTime(episodes: readonly EpisodeRelease[]): number | undefined {
  const times = episodes.map(releaseTime).filter((at) => at !== undefined);
  const [newest, ...others] = times.slice(0, MAX_TIMES);
  if (newest === undefined) return undefined;
  const offsets = [newest, ...others].map((at) => inWeek(at - newest)).sort((a, b) => a - b);
  const usual = newest + (offsets[Math.floor(offsets.length / 2)] ?? 0);
  return Math.round(usual / ROUNDED_TO_MS) * ROUNDED_TO_MS;
}

/** How much later in the week it is, from minus to plus half a week. */
export function inWeek(ms: number): number {
  return ms - Math.round(ms / WEEK_MS) * WEEK_MS;
}
