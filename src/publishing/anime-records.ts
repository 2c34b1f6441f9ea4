import type { SnapshotUpdate } from '../crawler/snapshot-sync.ts';
import { type AnimeRecord, animeLink } from '../domain/anime-record.ts';
import type { ExpectedEpisode } from '../domain/episode-history.ts';
import { bySlug, listEntries, listedSlugs } from '../domain/listing.ts';
import { WEEK_MS } from '../domain/units.ts';

/**
 * A record for each anime of either listing: those of the ongoing list first, in its order. `sourceUrl`: the origin of the
 * source.
 */
export function createAnimeRecords(
  { snapshot, history, expected }: Pick<SnapshotUpdate, 'snapshot' | 'history' | 'expected'>,
  sourceUrl: string,
): AnimeRecord[] {
  const scheduled = bySlug(listEntries(snapshot.schedule));
  const ongoing = bySlug(snapshot.ongoing);
  return [...listedSlugs(snapshot)].map((slug) => {
    const anime = ongoing.get(slug) ?? null;
    const slot = scheduled.get(slug);
    return {
      title: anime?.title ?? slot?.title ?? slug,
      slug,
      day: anime?.day ?? slot?.day ?? 'None',
      scheduledDay: slot?.day ?? null,
      ongoing: anime,
      link: animeLink(sourceUrl, slug),
      episodes: history[slug] ?? [],
      next: expected[slug] ?? null,
    };
  });
}

/** The anime whose next episode is expected within seven days, the soonest first. `now`: ms since 1970. */
export function findUpcoming(
  records: readonly AnimeRecord[],
  now: number,
): (AnimeRecord & { next: ExpectedEpisode })[] {
  return records
    .flatMap((record) => (record.next ? [{ ...record, next: record.next }] : []))
    .filter(({ next }) => next.latest >= now && next.expectedAt < now + WEEK_MS)
    .sort((a, b) => a.next.expectedAt - b.next.expectedAt);
}

/**
 * The next moment at which time alone changes what `findUpcoming` finds or which episode is expected: an episode comes
 * within seven days, or its window is over. Infinity when nothing is expected; all in ms since 1970.
 */
export function nextUpcomingChange(expected: Readonly<Record<string, ExpectedEpisode>>, now: number): number {
  const moments = Object.values(expected).flatMap(({ expectedAt, latest }) => [
    expectedAt - WEEK_MS + 1,
    latest + 1,
  ]);
  return Math.min(...moments.filter((at) => at > now), Infinity);
}
