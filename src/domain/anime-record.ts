import type { Medium } from './broadcast.ts';
import type { Cover } from './cover.ts';
import type { AnimeDetails, PrintedDetails } from './details.ts';
import type { EpisodeRelease, ExpectedEpisode, UnnumberedRelease } from './episode-history.ts';
import type { OngoingAnime, OngoingDay } from './listing.ts';
import { WEEK_MS } from './units.ts';

/** One anime, as the listings, the events and its page describe it. */
export interface AnimeRecord {
  title: string;
  slug: string;
  day: OngoingDay;
  /** The day on which the schedule lists it; null when only the ongoing list has it. */
  scheduledDay: OngoingDay | null;
  /** Its entry in the ongoing list, the last one where it has left; null when only the schedule has it. */
  ongoing: OngoingAnime | null;
  /** When it left both listings, ms since 1970; null while it is in one. */
  leftAt: number | null;
  /** Absolute URL of the cover: our copy, else the source's; null if there is neither. */
  image: string | null;
  /** Null where none is kept here. */
  cover: Cover | null;
  /** Its page at the source. */
  link: string;
  /** The newest first, at most 13, no episode twice. */
  episodes: readonly EpisodeRelease[];
  /** What came without a number, in any order. */
  unnumbered: readonly UnnumberedRelease[];
  next: ExpectedEpisode | null;
  /** Episodes that are taken for released by their broadcasts, because the source could not be read when they should have come. */
  assumed: readonly Pick<ExpectedEpisode, 'episode' | 'expectedAt'>[];
  /** What a calendar of broadcasts says of it; null where it does not know it. */
  medium: Medium | null;
  /** Whether no episode follows the newest one. */
  hasEnded: boolean;
  /** Whether nothing is expected, not even on the day of its slot: it has ended, or two weeks passed without an episode. */
  isQuiet: boolean;
  /** Null until its page was read. */
  details: AnimeDetails | null;
  /** What that page prints; null also where an earlier version has read it. */
  printed: PrintedDetails | null;
}

/** How many episodes an anime has in all; null where its page does not say, or where more are out. */
export function totalOf({
  details,
  episodes,
  ongoing,
}: Pick<AnimeRecord, 'details' | 'episodes' | 'ongoing'>): number | null {
  const total = details?.totalEpisodes ?? null;
  const newest = Math.max(episodes[0]?.episode ?? 0, ongoing?.episode ?? 0);
  return total !== null && newest <= total ? total : null;
}

/** The page of an anime at the source, whose origin is `origin`. */
export function animeLink(origin: string, slug: string): string {
  return `${origin}/anime/${slug}/`;
}

/**
 * `out`: released. `expected`: not yet. `late`: its window is over, and the source was read since without it. `unseen`: its
 * window is over, and the source was not read since, so that it may be out.
 */
export type ReleaseState = 'out' | 'expected' | 'late' | 'unseen';

/** An episode that came out or comes on a day. */
export interface Release {
  record: AnimeRecord;
  /** Null if only the schedule has the anime, or if the newest release has no number. */
  episode: number | null;
  /** Others of the anime that came out on the same day, the lowest first; absent where there are none. */
  otherEpisodes?: readonly number[];
  /** `2026-11-20` in the service's time zone; of a late or unseen one, today. */
  day: string;
  state: ReleaseState;
  /** ms since 1970; null if only the day is certain. */
  releasedAt: number | null;
  /** ms since 1970; null if only the slot of the schedule gives the day. */
  expectedAt: number | null;
}

/** How long after its release an episode was seen here. */
export interface Lateness {
  slug: string;
  title: string;
  episode: number;
  /** ms since 1970 */
  releasedAt: number;
  /** A clock that differs from the source's makes it no less than 0. */
  lateMs: number;
}

const MAX_RELEASES = 200;

/** The releases of the last seven days whose own time and sighting are both known, the newest first. */
export function listLateness(records: readonly AnimeRecord[], now: number): Lateness[] {
  return records
    .flatMap(({ slug, title, episodes }) =>
      episodes.flatMap(({ episode, releasedAt, seenAt }) =>
        releasedAt !== undefined && seenAt !== undefined && releasedAt > now - WEEK_MS
          ? [{ slug, title, episode, releasedAt, lateMs: Math.max(0, seenAt - releasedAt) }]
          : [],
      ),
    )
    .sort((a, b) => b.releasedAt - a.releasedAt)
    .slice(0, MAX_RELEASES);
}
