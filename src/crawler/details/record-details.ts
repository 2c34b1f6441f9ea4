import { isDeepStrictEqual } from 'node:util';
import { type EpisodeRelease, sourceDate } from '../../domain/episode-history.ts';
import { bySlug, changedAt, listEntries, type Snapshot } from '../../domain/listing.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/units.ts';
import { type AnimePage, refuse } from '../../source/source.ts';
import { titleKey } from '../belief/titles.ts';
import { sortReleases } from '../next-listing.ts';

/** The clock of the source may be ahead by this much. */
const MAX_CLOCK_SKEW_MS = 5 * MINUTE_MS;

/** The page of an anime, and when it was read; ms since 1970. */
export interface PageReading {
  slug: string;
  page: AnimePage;
  readAt: number;
}

/** Throws AppError `source-changed` when the page is that of another anime than the lists mean. */
export function checkOwnPage({ slug, page }: Omit<PageReading, 'readAt'>, snapshot: Snapshot): void {
  const titles = [
    bySlug(snapshot.ongoing).get(slug)?.title,
    bySlug(listEntries(snapshot.schedule)).get(slug)?.title,
  ];
  const known = new Set(titles.flatMap((title) => (title === undefined ? [] : titleKey(title))));
  if (page.titles.some((title) => known.has(titleKey(title)))) return;
  refuse(`the page of ${slug} is that of another anime: ${page.titles[0] ?? 'it has no title'}`);
}

/** The snapshot with what these pages say; the same object when they say nothing new, not even that they were read. */
export function recordDetails(snapshot: Snapshot, readings: readonly PageReading[], now: number): Snapshot {
  const ongoing = bySlug(snapshot.ongoing);
  const details = { ...snapshot.details };
  const history = { ...snapshot.episodeHistory };
  for (const { slug, page, readAt } of readings) {
    const episode = ongoing.get(slug)?.episode ?? null;
    const releases = mergeReleases(history[slug] ?? [], page, readAt);
    const last = releases.find((one) => one.episode === episode);
    const isStale = episode !== null && page.details.status !== 'completed' && last?.releasedAt === undefined;
    const before = details[slug]?.episode === episode ? (details[slug]?.stale ?? 0) : 0;
    details[slug] = { details: page.details, readAt, episode, stale: isStale ? before + 1 : 0 };
    if (releases.length > 0) history[slug] = releases;
  }
  const isNews = readings.some(
    ({ slug }) =>
      !isDeepStrictEqual(details[slug]?.details, snapshot.details?.[slug]?.details) ||
      !isDeepStrictEqual(history[slug], snapshot.episodeHistory?.[slug]),
  );
  return {
    ...snapshot,
    details,
    episodeHistory: history,
    ...(isNews && { detailsChangedAt: Math.max(now, changedAt(snapshot) + 1_000) }),
  };
}

/** What was known of the episodes, with the days of the page, and the exact time for its newest episode. */
function mergeReleases(known: readonly EpisodeRelease[], page: AnimePage, readAt: number): EpisodeRelease[] {
  const releases = new Map(known.map((release) => [release.episode, release]));
  const lastDate = sourceDate(readAt + DAY_MS);
  // Oldest row last: of an episode that was put up twice, the first day counts.
  for (const { episode, date } of page.episodes)
    if (date <= lastDate) releases.set(episode, { ...releases.get(episode), episode, date });
  const newest = page.episodes
    .filter(({ date }) => date <= lastDate)
    .toSorted((a, b) => b.episode - a.episode)[0];
  const releasedAt = newest && exactTime(page, newest, readAt);
  if (newest && releasedAt !== undefined) {
    const release = releases.get(newest.episode);
    // The anime may be put on top again later. The first time is that of the episode.
    if (release && !(release.releasedAt && release.releasedAt < releasedAt))
      releases.set(newest.episode, { ...release, releasedAt });
  }
  return sortReleases([...releases.values()]);
}

/**
 * The time in the head of the page where it is that of the newest episode: on the day of its row, or on the next one,
 * because it trails the row. On a completed anime it has no meaning.
 */
function exactTime(page: AnimePage, newest: { date: string }, readAt: number): number | undefined {
  const { publishedAt, details } = page;
  if (publishedAt === null || details.status === 'completed' || publishedAt > readAt + MAX_CLOCK_SKEW_MS)
    return undefined;
  const days = [sourceDate(publishedAt), sourceDate(publishedAt - DAY_MS)];
  return days.includes(newest.date) ? publishedAt : undefined;
}
