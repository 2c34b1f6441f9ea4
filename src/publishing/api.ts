import type { AnimeRecord, Release } from '../domain/anime-record.ts';
import type { BroadcastWitness } from '../domain/broadcast.ts';
import type { AnimeDetails } from '../domain/details.ts';
import type { EpisodeRelease, ExpectedEpisode } from '../domain/episode-history.ts';
import { type DaySchedule, type Listing, type OngoingAnime, PAGE_SIZE } from '../domain/listing.ts';
import type { findUpcoming } from './anime-records.ts';
import type { Anime, AnimeListing, Home, Releases, Schedule, Upcoming } from './schemas/listing.ts';
import type { FromSchema } from './schemas/schema.ts';

/** The JSON of the listing's endpoints. A record is copied key by key, so that no other key becomes public. */

export function presentSchedule({ schedule }: Listing): FromSchema<typeof Schedule> {
  return { status: true, data: schedule.map(presentDay) };
}

/** Both listings in one document. */
export function presentAnime(
  { schedule, ongoing }: Listing,
  idsOf: IdsOf = () => undefined,
): FromSchema<typeof AnimeListing> {
  const items = ongoing.map((anime) => ({ ...presentOngoing(anime), ...presentIds(idsOf(anime.slug)) }));
  return { status: true, data: { schedule: schedule.map(presentDay), ongoing: items } };
}

/** The ids of an anime: null where the calendar of broadcasts does not know it, undefined where there is none. */
export type IdsOf = (slug: string) => BroadcastWitness['ids'] | null | undefined;

/** The member of an item that has ids where a calendar is configured. */
export function presentIds(ids: ReturnType<IdsOf>) {
  return ids === undefined ? {} : { ids };
}

export function presentAnimeDetail(record: AnimeRecord): FromSchema<typeof Anime> {
  const { title, slug, day, ongoing, link, leftAt, episodes, next, details, witness } = record;
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
      leftAt: isoOrNull(leftAt),
      episodes: episodes.map(presentEpisode),
      next: next ? { ...presentExpected(next), basis: next.basis } : null,
      details: details && { ...presentDetails(details), english: witness?.english ?? null },
      ids: witness?.ids ?? null,
    },
  };
}

function presentEpisode({ episode, seenAt, releasedAt, date }: EpisodeRelease) {
  return { episode, seenAt: isoOrNull(seenAt), releasedAt: isoOrNull(releasedAt), date: date ?? null };
}

function presentDetails(details: AnimeDetails) {
  const { japanese, score, type, status, totalEpisodes, minutes, startedOn } = details;
  const { studios, genres, producers, synopsis } = details;
  const facts = { japanese, score, type, status, totalEpisodes, minutes, startedOn };
  return { ...facts, studios, genres, producers, synopsis };
}

export function presentUpcoming(upcoming: ReturnType<typeof findUpcoming>): FromSchema<typeof Upcoming> {
  const data = upcoming.map(({ slug, title, next }) => ({ slug, title, ...presentExpected(next) }));
  return { status: true, data };
}

export function presentReleases(releases: readonly Release[]): FromSchema<typeof Releases> {
  return { status: true, data: releases.map(presentRelease) };
}

function presentRelease({ record, episode, day, state, releasedAt, expectedAt }: Release) {
  const { slug, title, ongoing } = record;
  const times = { releasedAt: isoOrNull(releasedAt), expectedAt: isoOrNull(expectedAt) };
  return { slug, title, episode, day, state, ...times, image: ongoing?.image ?? null };
}

function presentExpected({ episode, expectedAt, earliest, latest, late }: ExpectedEpisode) {
  return { episode, expectedAt: iso(expectedAt), earliest: iso(earliest), latest: iso(latest), late };
}

export function presentHome({ ongoing }: Listing, currentPage: number): FromSchema<typeof Home> {
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
const isoOrNull = (ms: number | null | undefined) => (ms == null ? null : iso(ms));
