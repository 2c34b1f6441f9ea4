import { MONTHS, type Month, type ShortDate } from './listing.ts';
import { DAY_MS, HOUR_MS } from './units.ts';

/** When an episode came out, as far as that is known. At least one of the three is present. */
export interface EpisodeRelease {
  episode: number;
  /** When a crawl or a peek first saw it, ms since 1970. */
  seenAt?: number;
  /** When the source put it on its list, ms since 1970, by its own word. */
  releasedAt?: number;
  /** The day that the source gives, `2026-11-20`. */
  date?: string;
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
  /** How many days with a release agree on that time, at least three. */
  basis: number;
  /** Whether the window is over and the episode is not out. */
  late: boolean;
}

/** An episode that is not out is late for so long after its window. */
export const LATE_MS = 3 * DAY_MS;

/** The source's clock is UTC+7 and knows no daylight saving time. */
const SOURCE_OFFSET_MS = 7 * HOUR_MS;

/** The time of a release as exactly as it is known, ms since 1970; undefined where only its day is known. */
export function releaseTime({ releasedAt, seenAt }: EpisodeRelease): number | undefined {
  return releasedAt ?? seenAt;
}

/** The source's calendar day of a moment, `2026-11-20`. */
export function sourceDate(ms: number): string {
  return new Date(ms + SOURCE_OFFSET_MS).toISOString().slice(0, 10);
}

/** The start of a day of the source's calendar, ms since 1970. */
export function startOfSourceDate(date: string): number {
  return Date.parse(date) - SOURCE_OFFSET_MS;
}

/** `15 Agu` → `2026-08-15`, in the year that puts it last before the end of the day after `now`. */
export function datedBefore(shortDate: ShortDate, now: number): string {
  const [day = '', name = ''] = shortDate.split(' ');
  const month = MONTHS.indexOf(name as Month);
  const latest = new Date(now + SOURCE_OFFSET_MS + DAY_MS);
  const isThisYear = Date.UTC(latest.getUTCFullYear(), month, Number(day)) <= latest.getTime();
  const year = latest.getUTCFullYear() - (isThisYear ? 0 : 1);
  return `${year}-${String(month + 1).padStart(2, '0')}-${day.padStart(2, '0')}`;
}
