import type { ShortDate } from './source-date.ts';

/** Broadcast slots in the order in which the schedule shows them. */
export const DAYS = ['Senin', 'Selasa', 'Rabu', 'Kamis', 'Jumat', 'Sabtu', 'Minggu', 'Random'] as const;
export type Day = (typeof DAYS)[number];

/** An anime of the ongoing list may have no slot: `None`. */
export type OngoingDay = Day | 'None';

/** How many anime make a page of the ongoing list, at the source and here. */
export const PAGE_SIZE = 25;

export interface ScheduledAnime {
  title: string;
  /** `[a-z0-9-]` and percent-escapes in lower case; the same anime has the same slug everywhere. */
  slug: string;
}

export interface DaySchedule {
  day: Day;
  animeList: ScheduledAnime[];
}

export interface OngoingAnime {
  title: string;
  /** The newest episode that has been released. */
  episode: number;
  day: OngoingDay;
  /** When that episode was released. */
  date: ShortDate;
  /** Absolute address of the cover, at the source. */
  image: string;
  slug: string;
  /** Whether the source marks the episode as the last one. */
  isLast?: true;
}

/** What one crawl of the source yields. */
export interface Listing {
  /** Always eight groups, in the order of `DAYS`. */
  schedule: DaySchedule[];
  /** In the source's order, newest first; no slug twice. */
  ongoing: OngoingAnime[];
}

/** The entries of all days, each with its day; an anime may have several. */
export function listEntries(schedule: readonly DaySchedule[]): { day: Day; title: string; slug: string }[] {
  return schedule.flatMap(({ day, animeList }) => animeList.map((anime) => ({ ...anime, day })));
}

/** Maps anime by slug. Of several with one slug, the last counts, at the place of the first. */
export function bySlug<Anime extends { slug: string }>(list: readonly Anime[]): Map<string, Anime> {
  return new Map(list.map((anime) => [anime.slug, anime]));
}

/** The slugs of both listings, the ongoing list first. */
export function listedSlugs({ ongoing, schedule }: Listing): Set<string> {
  return new Set([...ongoing, ...listEntries(schedule)].map(({ slug }) => slug));
}
