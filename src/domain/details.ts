import type { EpisodeRelease } from './episode-history.ts';
import { listedSlugs } from './listing.ts';
import type { Snapshot } from './snapshot.ts';

/** What the source says of an anime on its page. A value that cannot be read is null, or an empty list. */
export interface AnimeDetails {
  japanese: string | null;
  /** Above 0, at most 10. */
  score: number | null;
  /** `TV`, `Movie` */
  type: string | null;
  status: 'ongoing' | 'completed' | null;
  /** Present where the source has dropped it. The API has no such status. */
  isDropped?: true;
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

/** What the source prints on the page of an anime, as it is there: a text is empty where the page has none. */
export interface PrintedDetails {
  title: string;
  japanese: string;
  score: string;
  producers: string;
  type: string;
  status: string;
  episodes: string;
  duration: string;
  aired: string;
  studios: string;
  genres: PrintedLink[];
  /** The rows of the list of episodes in page order, specials among them. */
  episodeList: PrintedLink[];
  batch: PrintedLink | null;
}

/** A link to another page of the source. */
export interface PrintedLink {
  title: string;
  /** The last segment of its path. */
  id: string;
}

/** The details of an anime, and what decides when they are read again. */
export interface KnownDetails {
  details: AnimeDetails;
  /** Absent where an earlier version has read the page. */
  printed?: PrintedDetails;
  /** Absolute address of the cover at the source; absent where the page shows none, or an earlier version has read it. */
  image?: string;
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

/**
 * Whether no episode follows the newest of these: the source has completed or dropped the anime, marks that episode as the last
 * one, or names it as their number. A number that is passed is wrong, and ends nothing.
 */
export function hasEnded(
  details: Pick<AnimeDetails, 'status' | 'isDropped' | 'totalEpisodes'> | null | undefined,
  [newest]: readonly EpisodeRelease[],
): boolean {
  if (details?.status === 'completed' || details?.isDropped) return true;
  return newest !== undefined && (newest.isLast === true || newest.episode === details?.totalEpisodes);
}

export function countDetails(snapshot: Snapshot, failed: number): DetailsCount {
  const listed = listedSlugs(snapshot);
  const known = [...listed].filter((slug) => snapshot.details?.[slug]).length;
  return { known, missing: listed.size - known, failed };
}
