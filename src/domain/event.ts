import type { OngoingDay } from './listing.ts';

/** How a refresh changed one anime. A new cover or a corrected title is not a change. */
export type Change = { slug: string; title: string } & (
  | { type: 'added'; episode: number; day: OngoingDay }
  | { type: 'new-episode'; episode: number; day: OngoingDay }
  | { type: 'moved'; from: OngoingDay; to: OngoingDay }
  | { type: 'left' }
);

/** Addresses at the source, as they were when the event was written; absent where they were not known. */
export interface EventAddresses {
  /** The cover. */
  image?: string;
  /** The page of the anime. */
  link?: string;
}

/** A change as it is stored and published. */
export type AnimeEvent = Change &
  EventAddresses & {
    /** Counts from 1, without gaps, in each epoch. */
    number: number;
    /** When the crawl saw it, ms since 1970: the source gives neither hour nor year. */
    at: number;
  };
