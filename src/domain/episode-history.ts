/** An episode, and when a crawl or a peek first saw it; ms since 1970. */
export interface EpisodeSighting {
  episode: number;
  seenAt: number;
}

/** The sightings of each anime by slug, newest first, at most 13. Episodes that were listed from the start have none. */
export type EpisodeHistory = Readonly<Record<string, readonly EpisodeSighting[]>>;

/** When the next episode of an anime is expected; ms since 1970. */
export interface ExpectedEpisode {
  episode: number;
  expectedAt: number;
  /** The window in which it usually comes. */
  earliest: number;
  latest: number;
  /** How many sightings agree on that time, at least three. */
  basis: number;
}
