import type { EpisodeRelease } from './episode-history.ts';
import { listedSlugs, type Snapshot } from './listing.ts';

/** What the source says of an anime on its page. A value that cannot be read is null, or an empty list. */
export interface AnimeDetails {
  japanese: string | null;
  /** Above 0, at most 10. */
  score: number | null;
  /** `TV`, `Movie` */
  type: string | null;
  status: 'ongoing' | 'completed' | null;
  totalEpisodes: number | null;
  /** The length of an episode. */
  minutes: number | null;
  /** `2026-01-08` */
  startedOn: string | null;
  studios: string[];
  genres: string[];
  producers: string[];
  /** Paragraphs, with an empty line between them. */
  synopsis: string | null;
}

/** The details of an anime, and what decides when they are read again. */
export interface KnownDetails {
  details: AnimeDetails;
  /** ms since 1970 */
  readAt: number;
  /** The newest episode that the ongoing list showed at that time; null when it did not list the anime. */
  episode: number | null;
  /** How many readings in a row did not yet show the exact time of that episode. */
  stale: number;
}

/** How many listed anime have details, how many do not, and how many could not be read at the last attempt. */
export interface DetailsCount {
  known: number;
  missing: number;
  failed: number;
}

/** Whether no episode follows the newest of these: it is complete, had as many as it should, or is marked as the last one. */
export function hasEnded(
  details: Pick<AnimeDetails, 'status' | 'totalEpisodes'> | null | undefined,
  [newest]: readonly EpisodeRelease[],
): boolean {
  const isLast = newest?.isLast ?? (newest?.episode ?? 0) >= (details?.totalEpisodes ?? Infinity);
  return details?.status === 'completed' || isLast;
}

export function countDetails(snapshot: Snapshot, failed: number): DetailsCount {
  const listed = listedSlugs(snapshot);
  const known = [...listed].filter((slug) => snapshot.details?.[slug]).length;
  return { known, missing: listed.size - known, failed };
}
