import type { AnimeRecord, Release } from '../domain/anime-record.ts';
import type { ExpectedEpisode } from '../domain/episode-history.ts';
import { type DaySchedule, type Listing, type OngoingAnime, PAGE_SIZE } from '../domain/listing.ts';
import { toIso } from '../domain/units.ts';
import type { findUpcoming } from './anime-records.ts';
import type { EditionContent } from './edition.ts';
import { presentIds } from './events.ts';
import * as schemas from './schemas/listing.ts';
import { type FromSchema, pick } from './schemas/schema.ts';

/** The JSON of the listing's endpoints. */

export function presentSchedule({ schedule }: Listing): FromSchema<typeof schemas.Schedule> {
  return { status: true, data: schedule.map(presentDay) };
}

/** Both listings in one document; `ids` where there is a calendar of broadcasts. */
export function presentAnime(
  { schedule, ongoing }: Listing,
  calendar: EditionContent['calendar'],
): FromSchema<typeof schemas.AnimeListing> {
  const items = ongoing.map((anime) => ({
    ...presentOngoing(anime),
    ...(calendar && { ids: presentIds(calendar.media.get(anime.slug)) }),
  }));
  return { status: true, data: { schedule: schedule.map(presentDay), ongoing: items } };
}

export function presentAnimeDetail(record: AnimeRecord): FromSchema<typeof schemas.Anime> {
  const { title, slug, day, ongoing, link, leftAt, next, details, medium } = record;
  return {
    status: true,
    data: {
      title,
      slug,
      day,
      episode: ongoing?.episode ?? null,
      date: ongoing?.date ?? null,
      image: ongoing?.image ?? null,
      link,
      leftAt: toIso(leftAt),
      episodes: record.episodes.map(({ episode, seenAt, releasedAt, date = null }) => {
        return { episode, seenAt: toIso(seenAt), releasedAt: toIso(releasedAt), date };
      }),
      next: next && { ...presentExpected(next), basis: next.basis },
      details: details && pick(schemas.AnimeDetails, { ...details, english: medium?.english ?? null }),
      ids: presentIds(medium),
    },
  };
}

export function presentUpcoming(
  upcoming: ReturnType<typeof findUpcoming>,
): FromSchema<typeof schemas.Upcoming> {
  const data = upcoming.map(({ slug, title, next }) => ({ slug, title, ...presentExpected(next) }));
  return { status: true, data };
}

export function presentReleases(releases: readonly Release[]): FromSchema<typeof schemas.Releases> {
  const data = releases.map(({ record, releasedAt, expectedAt, ...release }) => {
    const times = { releasedAt: toIso(releasedAt), expectedAt: toIso(expectedAt) };
    const { slug, title, ongoing } = record;
    return pick(schemas.Release, { slug, title, ...release, ...times, image: ongoing?.image ?? null });
  });
  return { status: true, data };
}

function presentExpected({ episode, expectedAt, earliest, latest, late }: ExpectedEpisode) {
  return {
    episode,
    expectedAt: toIso(expectedAt),
    earliest: toIso(earliest),
    latest: toIso(latest),
    late,
  };
}

export function presentHome({ ongoing }: Listing, currentPage: number): FromSchema<typeof schemas.Home> {
  const maxPage = countPages(ongoing);
  const data = ongoing.slice((currentPage - 1) * PAGE_SIZE, currentPage * PAGE_SIZE);
  return {
    status: true,
    data: {
      currentPage,
      maxPage,
      hasNextPage: currentPage < maxPage,
      hasPrevPage: currentPage > 1,
      data: data.map(presentOngoing),
    },
  };
}

function presentDay({ day, animeList }: DaySchedule) {
  return { day, animeList: animeList.map((anime) => pick(schemas.ScheduledAnime, anime)) };
}

const presentOngoing = (anime: OngoingAnime) => pick(schemas.OngoingAnime, anime);

export function countPages(ongoing: readonly OngoingAnime[]): number {
  return Math.ceil(ongoing.length / PAGE_SIZE);
}
