import { type AnimeDetails, hasEnded, type KnownDetails } from '../../domain/details.ts';
import {
  datedBefore,
  type EpisodeHistory,
  type EpisodeRelease,
  type ExpectedEpisode,
  LATE_MS,
  releaseTime,
  sourceDate,
  startOfSourceDate,
} from '../../domain/episode-history.ts';
import type { OngoingAnime } from '../../domain/listing.ts';
import { findRhythm, type ReleaseDay, type Rhythm } from './rhythm.ts';

/** After more skipped episodes, none is expected until one is seen. */
const MAX_SKIPPED = 3;

/** What is known of an anime that matters for its next episode. */
interface AnimeTimes {
  releases: readonly EpisodeRelease[];
  /** Its entry in the ongoing list. */
  listed?: Pick<OngoingAnime, 'episode' | 'date'> | undefined;
  details?: Pick<AnimeDetails, 'status' | 'totalEpisodes'> | undefined;
}

/** The next episodes of these anime, by slug; an anime without a usual time is left out. */
export function expectEpisodes(
  snapshot: { ongoing: readonly OngoingAnime[]; details?: Record<string, KnownDetails> },
  history: EpisodeHistory,
  now: number,
): Record<string, ExpectedEpisode> {
  const expected: Record<string, ExpectedEpisode> = {};
  for (const listed of snapshot.ongoing) {
    const { slug } = listed;
    const details = snapshot.details?.[slug]?.details;
    const next = expectEpisode({ releases: history[slug] ?? [], listed, details }, now);
    if (next) expected[slug] = next;
  }
  return expected;
}

/**
 * When the next episode comes, from the usual time of those before it. Null rather than a guess: where the episodes have no
 * weekly or fortnightly rhythm, when the anime has ended, and after four that did not come. `now`: ms since 1970.
 */
export function expectEpisode(times: AnimeTimes, now: number): ExpectedEpisode | null {
  const releases = addListed(times, now);
  const last = Math.max(...releases.map(({ episode }) => episode));
  if (releases.length === 0 || hasEnded(times.details, last)) return null;
  const rhythm = findRhythm(listDays(releases));
  if (!rhythm) return null;
  const { basis, periodMs } = rhythm;
  for (let count = 1; count <= 1 + MAX_SKIPPED; count += 1) {
    const { expectedAt, earliest, latest } = slotOf(rhythm, count);
    if (now < latest + LATE_MS)
      return { episode: last + 1, expectedAt, earliest, latest, periodMs, basis, late: now > latest };
  }
  return null;
}

function slotOf({ lastSlot, periodMs, drift, early, late }: Rhythm, count: number) {
  const at = lastSlot + count * (periodMs + drift);
  return {
    expectedAt: Math.round(at),
    earliest: Math.round(at - early),
    latest: Math.round(at + late),
  };
}

/** The releases with what the list says of the newest one, whose day nothing else may have told. */
function addListed({ releases, listed }: AnimeTimes, now: number): readonly EpisodeRelease[] {
  if (!listed || releases.some(({ episode, date }) => episode === listed.episode && date !== undefined))
    return releases;
  const known = releases.find(({ episode }) => episode === listed.episode);
  const date = datedBefore(listed.date, now);
  return [...releases.filter((one) => one !== known), { episode: listed.episode, date, ...known }];
}

/** The days with a release, newest first; each once, however many episodes it has. */
function listDays(releases: readonly EpisodeRelease[]): ReleaseDay[] {
  const days = new Map<string, ReleaseDay>();
  for (const release of releases) {
    const at = releaseTime(release);
    const date = release.date ?? (at === undefined ? undefined : sourceDate(at));
    if (date === undefined) continue;
    const isExact = release.releasedAt !== undefined;
    const known = days.get(date);
    if (!known || (isExact && at !== undefined) || known.at === undefined)
      days.set(date, { day: startOfSourceDate(date), at });
  }
  return [...days.values()].sort((a, b) => b.day - a.day);
}
