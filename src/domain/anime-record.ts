import type { EpisodeSighting, ExpectedEpisode } from './episode-history.ts';
import type { OngoingAnime, OngoingDay } from './listing.ts';

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
  episodes: readonly EpisodeSighting[];
  next: ExpectedEpisode | null;
}

/** The page of an anime at the source, whose origin is `origin`. */
export function animeLink(origin: string, slug: string): string {
  return `${origin}/anime/${slug}/`;
}
