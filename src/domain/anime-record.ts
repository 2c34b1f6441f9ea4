import type { OngoingAnime, OngoingDay } from './listing.ts';

/** When an episode is expected; times in ms since 1970. */
export interface ExpectedEpisode {
  episode: number;
  expectedAt: number;
  /** The observed times fit between `earliest` and `latest`. */
  earliest: number;
  latest: number;
  /** How many observations agree on the time. */
  basis: number;
}

/** An episode that a crawl saw appear; `seenAt` in ms since 1970. */
export interface SeenEpisode {
  episode: number;
  seenAt: number;
}

/** Everything that is known of one anime, from both listings and the events. */
export interface AnimeRecord {
  title: string;
  slug: string;
  day: OngoingDay;
  /** The day on which the schedule lists it; null when only the ongoing list has it. */
  scheduledDay: OngoingDay | null;
  /** Its entry in the ongoing list; null when only the schedule has it. */
  ongoing: OngoingAnime | null;
  /** Its page at the source. */
  link: string;
  /** The newest first, at most 13, no episode twice. */
  episodes: SeenEpisode[];
  next: ExpectedEpisode | null;
}
