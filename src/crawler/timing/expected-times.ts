import { type AnimeDetails, hasEnded } from '../../domain/details.ts';
import {
  type EpisodeHistory,
  type EpisodeRelease,
  type Expectations,
  type ExpectedEpisode,
  LATE_MS,
  releaseTime,
} from '../../domain/episode-history.ts';
import type { Snapshot } from '../../domain/listing.ts';
import { sourceDate, startOfSourceDate } from '../../domain/source-date.ts';
import { DAY_MS } from '../../domain/units.ts';
import { findRhythm, type ReleaseDay } from './rhythm.ts';

/** After a longer gap a new season begins, often at another time. Older days do not predict the next episode. */
const MAX_GAP_MS = 32 * DAY_MS;
const MAX_DAYS = 9;
/** More episodes of one day are no weekly release. */
const MAX_AT_ONCE = 2;

/** The next episodes of the listed anime, by slug. */
export function expectEpisodes(
  { ongoing, details = {} }: Pick<Snapshot, 'ongoing' | 'details'>,
  history: EpisodeHistory,
  now: number,
): Expectations {
  const pairs = ongoing.flatMap(({ slug }) => {
    const next = expectEpisode(history[slug] ?? [], now, details[slug]?.details);
    return next === undefined ? [] : [[slug, next] as const];
  });
  return Object.fromEntries(pairs);
}

/**
 * When the next episode comes, from the usual time of those before it (newest first): in the slot after that of the newest
 * one, late for three days, then in the one after. Undefined where no time is known; null where nothing is expected, because
 * the anime has ended or two slots have passed. `now`: ms since 1970.
 */
export function expectEpisode(
  releases: readonly EpisodeRelease[],
  now: number,
  details?: Pick<AnimeDetails, 'status' | 'totalEpisodes'>,
): ExpectedEpisode | null | undefined {
  const [newest] = releases;
  if (!newest) return undefined;
  if (hasEnded(details, releases)) return null;
  const rhythm = findRhythm(listDays(releases));
  if (!rhythm) return undefined;
  const { slot, periodMs, early, late, basis } = rhythm;
  for (const [count, graceMs] of [LATE_MS, 1].entries()) {
    const expectedAt = Math.round(slot + (1 + count) * periodMs);
    const [earliest, latest] = [Math.round(expectedAt - early), Math.round(expectedAt + late)];
    if (now < latest + graceMs)
      return {
        episode: newest.episode + 1,
        ...{ expectedAt, earliest, latest, periodMs, basis },
        late: now > latest,
      };
  }
  return null;
}

/**
 * The days of the season with a release, newest first, each with its time where one is known. Several episodes of one day
 * were put up together, so that their time says nothing of the next.
 */
function listDays(releases: readonly EpisodeRelease[]): ReleaseDay[] {
  const byDay = Map.groupBy(releases, (release) => release.date ?? sourceDate(releaseTime(release) ?? 0));
  const all = [...byDay].map(([date, own]): ReleaseDay => {
    const known = own.find(({ releasedAt }) => releasedAt !== undefined) ?? own[0];
    const [day, at] = [startOfSourceDate(date), known && releaseTime(known)];
    // An anime may be added, or its date be corrected, days after its release.
    const isOfDay = at !== undefined && at > day - DAY_MS && at < day + 2 * DAY_MS;
    return {
      day,
      at: isOfDay && own.length <= MAX_AT_ONCE ? at : undefined,
      isExact: known?.releasedAt !== undefined,
      isFirst: own.some(({ episode }) => episode === 1),
    };
  });
  const days = all.sort((a, b) => b.day - a.day).slice(0, MAX_DAYS);
  const gap = days.findIndex((one, index) => one.day - (days[index + 1]?.day ?? one.day) > MAX_GAP_MS);
  return gap < 0 ? days : days.slice(0, gap + 1);
}
