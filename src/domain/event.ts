import type { OngoingDay } from './listing.ts';

/** How a refresh changed one anime. A new cover or a corrected title is not a change. */
export type Change = { slug: string; title: string } & (
  | { type: 'added'; episode: number; day: OngoingDay }
  | { type: 'new-episode'; episode: number; day: OngoingDay }
  | { type: 'moved'; from: OngoingDay; to: OngoingDay }
  /** The source corrected its slug. `from`: the former one. */
  | { type: 'renamed'; from: string }
  | { type: 'left' }
);

/** A change as it is stored and published. */
export type AnimeEvent = Change & {
  /** Counts from 1, without gaps, in each epoch. */
  number: number;
  /** When the crawl saw it, ms since 1970: the source gives neither hour nor year. */
  at: number;
  /** The original `at`, if a clock was ahead then. It is not published. */
  toldAt?: number;
  /** The URL of the cover at the source, if any. */
  image?: string;
  /** The address of the page of the anime at the source. */
  link?: string;
  /** Whether an anime that is added was listed within the last 90 days. It is not published. */
  isReturn?: true;
  /** Whether `new-episode` events follow that announce what an added anime came with. It is not published. */
  hasEpisodes?: true;
};

/** An event with an episode. */
export type EpisodeEvent = Extract<AnimeEvent, { episode: number }>;

/**
 * Whether an event announces an episode to people who follow the anime: not where the anime was there before, and not where
 * events of their own announce the episodes that it came with.
 */
export function announcesEpisode(event: AnimeEvent): event is EpisodeEvent {
  return event.type === 'new-episode' || (event.type === 'added' && !event.isReturn && !event.hasEpisodes);
}
