import { type AnimeRecord, animeLink } from '../domain/anime-record.ts';
import { hasEnded } from '../domain/details.ts';
import { type Expectations, type ExpectedEpisode, LATE_MS } from '../domain/episode-history.ts';
import { bySlug, listEntries, listedSlugs } from '../domain/listing.ts';
import { LEFT_KEPT_MS, leftAtOf } from '../domain/snapshot.ts';
import { WEEK_MS } from '../domain/units.ts';
import type { EditionContent } from './edition.ts';
import type { OwnCovers } from './own-covers.ts';

/** An anime with a next episode. */
export type UpcomingAnime = AnimeRecord & { next: ExpectedEpisode };

type RecordsContent = Pick<EditionContent, 'snapshot' | 'history' | 'unnumbered' | 'expected' | 'calendar'>;

/**
 * A record for each anime of either listing, the ongoing list first, in its order; then each that left both in the last
 * 90 days. `sourceUrl`: the origin of the source.
 */
export function createAnimeRecords(
  { snapshot, history, unnumbered, expected, calendar }: RecordsContent,
  covers: OwnCovers,
  sourceUrl: string,
  now: number,
): AnimeRecord[] {
  const { left = {}, leftSchedule = {} } = snapshot;
  const scheduled = bySlug(listEntries(snapshot.schedule));
  const ongoing = bySlug(snapshot.ongoing);
  const leftAts = [...leftAtOf(snapshot)].filter(([, at]) => at > now - LEFT_KEPT_MS);

  function recordOf(slug: string, leftAt: number | null): AnimeRecord {
    const isListed = leftAt === null;
    const anime = isListed ? ongoing.get(slug) : left[slug]?.anime;
    const slot = isListed ? scheduled.get(slug) : leftSchedule[slug];
    const episodes = history[slug] ?? [];
    const { details = null, printed = null, image = null } = snapshot.details?.[slug] ?? {};
    return {
      title: anime?.title ?? slot?.title ?? slug,
      slug,
      day: anime?.day ?? slot?.day ?? 'None',
      scheduledDay: (isListed && slot?.day) || null,
      ongoing: anime ?? null,
      leftAt,
      image: covers.addressOf(slug) ?? anime?.image ?? image,
      cover: covers.find(slug) ?? null,
      link: animeLink(sourceUrl, slug),
      episodes,
      unnumbered: unnumbered[slug] ?? [],
      next: (isListed && expected[slug]) || null,
      assumed: calendar?.assumed[slug] ?? [],
      medium: calendar?.media.get(slug) ?? null,
      hasEnded: hasEnded(details, episodes),
      isQuiet: expected[slug] === null,
      details,
      printed,
    };
  }

  return [
    ...Array.from(listedSlugs(snapshot), (slug) => recordOf(slug, null)),
    ...leftAts.map(([slug, leftAt]) => recordOf(slug, leftAt)),
  ];
}

/**
 * The anime whose next episode is late, then those whose next one comes within seven days, the soonest first: unseen ones,
 * whose time has passed, stand first among these. `now`: ms since 1970.
 */
export function findUpcoming(records: readonly AnimeRecord[], now: number): UpcomingAnime[] {
  return records
    .flatMap((record) => (record.next ? [{ ...record, next: record.next }] : []))
    .filter(({ next }) => next.late || next.expectedAt < now + WEEK_MS)
    .sort((a, b) => Number(b.next.late) - Number(a.next.late) || a.next.expectedAt - b.next.expectedAt);
}

/**
 * The next moment at which time alone changes what `findUpcoming` finds or which episode is expected: an episode comes
 * within seven days, its window is over, or it is no longer late or unseen. Infinity when nothing is expected; all in ms
 * since 1970.
 */
export function nextUpcomingChange(expected: Expectations, now: number): number {
  const moments = Object.values(expected).flatMap((next) =>
    next ? [next.expectedAt - WEEK_MS + 1, next.latest + 1, next.latest + LATE_MS] : [],
  );
  return Math.min(...moments.filter((at) => at > now), Infinity);
}
