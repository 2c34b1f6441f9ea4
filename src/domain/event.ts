import type { OngoingDay } from './listing.ts';

/** How a refresh changed one anime. A new cover or a corrected title is not a change. */
export type Change = { slug: string; title: string } & (
  | { type: 'added'; episode: number; day: OngoingDay }
  | { type: 'new-episode'; episode: number; day: OngoingDay }
  | { type: 'moved'; from: OngoingDay; to: OngoingDay }
  | { type: 'left' }
);

/** A change as it is stored and published. */
export type AnimeEvent = Change & {
  /** Counts from 1, without gaps, for as long as the store lives. */
  number: number;
  /** When the crawl saw it, ms since 1970: the source gives neither hour nor year. */
  at: number;
};
