import type { AnimeRecord, Release } from '../domain/anime-record.ts';
import { type Listing, type OngoingAnime, PAGE_SIZE } from '../domain/listing.ts';
import { animePage } from './addresses.ts';
import type { UpcomingAnime } from './anime-records.ts';
import type { EditionContent } from './edition.ts';
import { idsOf } from './events.ts';
import * as schemas from './schemas/listing.ts';
import { present } from './schemas/schema.ts';

/** The JSON of the listing's endpoints. */

const status = true;

export function presentSchedule({ schedule }: Listing) {
  return present(schemas.Schedule, { status, data: schedule });
}

/** Both listings in one document; `ids` where there is a calendar of broadcasts. */
export function presentAnime({ schedule, ongoing }: Listing, calendar: EditionContent['calendar']) {
  const items = calendar
    ? ongoing.map((anime) => ({ ...anime, ids: idsOf(calendar.media.get(anime.slug)) }))
    : ongoing;
  return present(schemas.AnimeListing, { status, data: { schedule, ongoing: items } });
}

/** `url`: public origin. */
export function presentAnimeDetail(record: AnimeRecord, url: string) {
  const { ongoing, details, medium } = record;
  const { episode = null, date = null } = ongoing ?? {};
  const episodes = record.episodes.map((one) => ({ seenAt: null, releasedAt: null, date: null, ...one }));
  const english = medium?.english ?? null;
  const data = {
    ...record,
    episode,
    date,
    page: animePage(url, record.slug),
    episodes,
    details: details && { ...details, english },
    ids: idsOf(medium),
  };
  return present(schemas.Anime, { status, data });
}

export function presentUpcoming(upcoming: readonly UpcomingAnime[]) {
  const data = upcoming.map(({ slug, title, next }) => ({ slug, title, ...next }));
  return present(schemas.Upcoming, { status, data });
}

export function presentReleases(releases: readonly Release[]) {
  const data = releases.map(({ record: { slug, title, image }, ...release }) => {
    return { slug, title, image, ...release };
  });
  return present(schemas.Releases, { status, data });
}

export function presentHome({ ongoing }: Listing, currentPage: number) {
  const maxPage = countPages(ongoing);
  const page = {
    currentPage,
    maxPage,
    hasNextPage: currentPage < maxPage,
    hasPrevPage: currentPage > 1,
    data: ongoing.slice((currentPage - 1) * PAGE_SIZE, currentPage * PAGE_SIZE),
  };
  return present(schemas.Home, { status, data: page });
}

export function countPages(ongoing: readonly OngoingAnime[]): number {
  return Math.ceil(ongoing.length / PAGE_SIZE);
}
