import { type AnimeRecord, animeLink } from '../domain/anime-record.ts';
import type { AnimeDetails, PrintedDetails } from '../domain/details.ts';
import { type Listing, type OngoingAnime, PAGE_SIZE } from '../domain/listing.ts';
import { MONTHS } from '../domain/source-date.ts';
import { WAJIK_HOME, WAJIK_ONGOING, WAJIK_ROOT, WAJIK_SCHEDULE, wajikAnime } from './addresses.ts';
import { countPages } from './api.ts';
import { COMPRESSED_LATER, type Content, jsonContent } from './document.ts';
import type * as schemas from './schemas/dialects.ts';
import type { FromSchema } from './schemas/schema.ts';

/**
 * The listing as https://github.com/wajik45/wajik-anime-api shows this source since 2025-12, for programs written for
 * that API. Fields without data here, such as completed anime and streams, are empty values of their types.
 */

type Card = FromSchema<typeof schemas.WajikCard>;

/** All documents of the dialect. `sourceUrl`: the origin of the source. */
export function renderWajik(
  { schedule, ongoing }: Listing,
  records: readonly AnimeRecord[],
  sourceUrl: string,
): Content[] {
  const linkTo = (slug: string) => {
    return { animeId: slug, href: wajikAnime(slug), otakudesuUrl: animeLink(sourceUrl, slug) };
  };
  const totalPages = countPages(ongoing);
  const pages = Array.from({ length: totalPages }, (_, index) => {
    const cards = ongoing.slice(index * PAGE_SIZE, (index + 1) * PAGE_SIZE);
    return cards.map((anime): Card => ({ ...presentCard(anime), ...linkTo(anime.slug) }));
  });
  const home = {
    ongoing: {
      href: WAJIK_ONGOING,
      otakudesuUrl: `${sourceUrl}/ongoing-anime/`,
      animeList: pages[0] ?? [],
    },
    completed: { href: '', otakudesuUrl: '', animeList: [] },
  };
  const scheduleList = schedule.map(({ day, animeList }) => ({
    title: day,
    animeList: animeList.map(({ title, slug }) => ({ title, ...linkTo(slug) })),
  }));
  return [
    jsonContent(WAJIK_HOME, succeed(home)),
    jsonContent(WAJIK_SCHEDULE, succeed({ scheduleList })),
    ...pages.map((animeList, index) => {
      const pagination = presentPagination(index + 1, totalPages);
      return jsonContent(`${WAJIK_ONGOING}?page=${index + 1}`, succeed({ animeList }, pagination));
    }),
    ...records.map((record) => {
      const details = presentDetails(record, sourceUrl);
      return jsonContent(wajikAnime(record.slug), succeed({ details }), COMPRESSED_LATER);
    }),
  ];
}

function succeed(data: object, pagination: object | null = null) {
  return { statusCode: 200, statusMessage: 'OK', message: '', ok: true, data, pagination };
}

function presentCard({ title, image, episode, day, date }: OngoingAnime) {
  return {
    title,
    poster: image,
    episodes: String(episode),
    releaseDay: day,
    // The source writes `05 Jan`.
    latestReleaseDate: date.padStart('05 Jan'.length, '0'),
  };
}

function presentPagination(
  currentPage: number,
  totalPages: number,
): FromSchema<typeof schemas.WajikPagination> {
  const hasPrevPage = currentPage > 1;
  const hasNextPage = currentPage < totalPages;
  return {
    currentPage,
    hasPrevPage,
    prevPage: hasPrevPage ? currentPage - 1 : null,
    hasNextPage,
    nextPage: hasNextPage ? currentPage + 1 : null,
    totalPages,
  };
}

/** Texts are as the page of the source prints them; details that an earlier version has stored are put into that form. */
function presentDetails(record: AnimeRecord, sourceUrl: string): FromSchema<typeof schemas.WajikDetails> {
  const { title, image, details, printed } = record;
  const { genres, episodeList, batch, ...texts } = printed ?? printKnown(record);
  return {
    ...texts,
    title: texts.title || title,
    poster: image ?? '',
    batch: batch && {
      title: batch.title,
      batchId: batch.id,
      ...linksTo(`batch/${batch.id}`, sourceUrl),
    },
    synopsis: { paragraphList: details?.synopsis?.split('\n\n') ?? [] },
    genreList: genres.map(({ title, id }) => ({ title, genreId: id, ...linksTo(`genres/${id}`, sourceUrl) })),
    episodeList: episodeList.map(({ title, id }) => ({
      // Only the number is shown, where there is one.
      title: /Episode\s+(\d+)/u.exec(title)?.[1] ?? title,
      episodeId: id,
      ...linksTo(`episode/${id}`, sourceUrl),
    })),
    recommendedAnimeList: [],
  };
}

function linksTo(path: string, sourceUrl: string) {
  return { href: `${WAJIK_ROOT}/${path}`, otakudesuUrl: `${sourceUrl}/${path}/` };
}

/** The details as the source prints them: it writes `Unknown` for a missing number. */
function printKnown({ title, ongoing, details }: AnimeRecord): PrintedDetails {
  const { genres = [], minutes, startedOn } = details ?? {};
  return {
    title,
    japanese: details?.japanese ?? '',
    score: details?.score?.toString() ?? '',
    producers: details?.producers.join(', ') ?? '',
    type: details?.type ?? '',
    status: presentStatus(details, ongoing !== null),
    episodes: details ? String(details.totalEpisodes ?? 'Unknown') : '',
    duration: minutes ? `${minutes} Min.` : '',
    aired: startedOn ? presentLongDate(startedOn) : '',
    studios: details?.studios.join(', ') ?? '',
    genres: genres.map((genre) => ({
      title: genre,
      id: genre.toLowerCase().replace(/[^a-z0-9]+/gu, '-'),
    })),
    episodeList: [],
    batch: null,
  };
}

function presentStatus(details: AnimeDetails | null, isListed: boolean): string {
  if (details?.isDropped) return 'Drop';
  if (details?.status === 'completed') return 'Completed';
  return details?.status === 'ongoing' || isListed ? 'Ongoing' : '';
}

/** `2026-01-08` → `Jan 08, 2026`, as the source writes it. */
function presentLongDate(date: string): string {
  const [year, month, day] = date.split('-');
  return `${MONTHS[Number(month) - 1]} ${day}, ${year}`;
}
