import type { OngoingDay } from './listing.ts';

/** What a refresh found to be different of one anime. A new cover or a corrected title is no news. */
export type Change = { slug: string; title: string } & (
  | { type: 'added'; episode: number; day: OngoingDay }
  | { type: 'new-episode'; episode: number; day: OngoingDay }
  | { type: 'moved'; from: OngoingDay; to: OngoingDay }
  | { type: 'left' }
);

/** A change that somebody can have missed. */
export type AnimeEvent = Change & {
  /** Counts from 1, without gaps, for as long as the store lives. */
  number: number;
  /** When it was seen, ms since 1970: the source tells no hour and no year. */
  at: number;
};
