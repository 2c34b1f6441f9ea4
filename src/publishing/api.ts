import type { AnimeRecord } from '../domain/anime-record.ts';
import type { ExpectedEpisode } from '../domain/episode-history.ts';
import { type DaySchedule, type Listing, type OngoingAnime, PAGE_SIZE } from '../domain/listing.ts';
import type { findUpcoming } from './anime-records.ts';
import type { ANIME, ANIME_DETAIL, HOME, SCHEDULE, UPCOMING } from './schemas/listing.ts';
import type { FromSchema } from './schemas/schema.ts';

/** The JSON of the listing's endpoints. A record is copied key by key, so that no other key becomes public. */

export function presentSchedule({ schedule }: Listing): FromSchema<typeof SCHEDULE> {
  return { status: true, data: schedule.map(presentDay) };
}

/** Both listings in one document. */
export function presentAnime({ schedule, ongoing }: Listing): FromSchema<typeof ANIME> {
  return { status: true, data: { schedule: schedule.map(presentDay), ongoing: ongoing.map(presentOngoing) } };
}

export function presentAnimeDetail(record: AnimeRecord): FromSchema<typeof ANIME_DETAIL> {
  const { title, slug, day, ongoing, link, episodes, next } = record;
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
      episodes: episodes.map(({ episode, seenAt }) => ({ episode, seenAt: iso(seenAt) })),
      next: next ? { ...presentExpected(next), basis: next.basis } : null,
    },
  };
}

export function presentUpcoming(upcoming: ReturnType<typeof findUpcoming>): FromSchema<typeof UPCOMING> {
  const data = upcoming.map(({ slug, title, next }) => ({ slug, title, ...presentExpected(next) }));
  return { status: true, data };
}

function presentExpected({ episode, expectedAt, earliest, latest }: ExpectedEpisode) {
  return { episode, expectedAt: iso(expectedAt), earliest: iso(earliest), latest: iso(latest) };
}

export function presentHome({ ongoing }: Listing, currentPage: number): FromSchema<typeof HOME> {
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
  return { day, animeList: animeList.map(({ title, slug }) => ({ title, slug })) };
}

function presentOngoing({ title, episode, day, date, image, slug }: OngoingAnime) {
  return { title, episode, day, date, image, slug };
}

export function countPages(ongoing: readonly OngoingAnime[]): number {
  return Math.ceil(ongoing.length / PAGE_SIZE);
}

const iso = (ms: number) => new Date(ms).toISOString();
