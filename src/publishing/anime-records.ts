import type { SnapshotUpdate } from '../crawler/snapshot-sync.ts';
import { type AnimeRecord, animeLink } from '../domain/anime-record.ts';
import { type ExpectedEpisode, LATE_MS } from '../domain/episode-history.ts';
import { bySlug, LEFT_KEPT_MS, listEntries, listedSlugs } from '../domain/listing.ts';
import { WEEK_MS } from '../domain/units.ts';

type RecordsContent = Pick<SnapshotUpdate, 'snapshot' | 'history' | 'expected'>;

/**
 * A record for each anime of either listing: those of the ongoing list first, in its order. `sourceUrl`: the origin of the
 * source.
 */
export function createAnimeRecords(
  { snapshot, history, expected }: RecordsContent,
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
      leftAt: null,
      link: animeLink(sourceUrl, slug),
      episodes: history[slug] ?? [],
      next: expected[slug] ?? null,
      details: snapshot.details?.[slug]?.details ?? null,
    };
  });
}

/** A record for each anime that left both listings in the last 90 days. */
export function createLeftRecords(
  { snapshot, history }: Omit<RecordsContent, 'expected'>,
  sourceUrl: string,
  now: number,
): AnimeRecord[] {
  const { left = {}, leftSchedule = {} } = snapshot;
  const listed = listedSlugs(snapshot);
  const slugs = new Set([...Object.keys(left), ...Object.keys(leftSchedule)]).difference(listed);
  const records = [...slugs].map((slug): AnimeRecord & { leftAt: number } => {
    const slot = leftSchedule[slug];
    const anime = left[slug]?.anime ?? null;
    return {
      title: anime?.title ?? slot?.title ?? slug,
      slug,
      day: anime?.day ?? slot?.day ?? 'None',
      scheduledDay: null,
      ongoing: anime,
      leftAt: Math.max(left[slug]?.leftAt ?? 0, slot?.leftAt ?? 0),
      link: animeLink(sourceUrl, slug),
      episodes: history[slug] ?? [],
      next: null,
      details: snapshot.details?.[slug]?.details ?? null,
    };
  });
  return records.filter(({ leftAt }) => leftAt > now - LEFT_KEPT_MS);
}

/**
 * The anime whose next episode is late, then those whose next one comes within seven days, the soonest first. `now`: ms
 * since 1970.
 */
export function findUpcoming(
  records: readonly AnimeRecord[],
  now: number,
): (AnimeRecord & { next: ExpectedEpisode })[] {
  return records
    .flatMap((record) => (record.next ? [{ ...record, next: record.next }] : []))
    .filter(({ next }) => next.late || next.expectedAt < now + WEEK_MS)
    .sort((a, b) => Number(b.next.late) - Number(a.next.late) || a.next.expectedAt - b.next.expectedAt);
}

/**
 * The next moment at which time alone changes what `findUpcoming` finds or which episode is expected: an episode comes
 * within seven days, its window is over, or it is late no more. Infinity when nothing is expected; all in ms since 1970.
 */
export function nextUpcomingChange(expected: Readonly<Record<string, ExpectedEpisode>>, now: number): number {
  const moments = Object.values(expected).flatMap(({ expectedAt, latest }) => [
    expectedAt - WEEK_MS + 1,
    latest + 1,
    latest + LATE_MS,
  ]);
  return Math.min(...moments.filter((at) => at > now), Infinity);
}
