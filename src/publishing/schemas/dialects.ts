import { DAYS } from '../../domain/listing.ts';
import { Day } from './listing.ts';
import { ADDRESS, array, COUNT, COUNT_OR_NULL, FLAG, object, orNull, SLUG, TEXT } from './schema.ts';

/** Answers in the form of other services. As in listing.ts, the exports are the named schemas. */

const NOTHING = { type: 'null' } as const;

/** What wajik-anime-api puts around everything. */
const OF_WAJIK = { statusCode: COUNT, statusMessage: TEXT, message: TEXT } as const;
const wajik = <const Data extends object, const Pagination extends object>(
  data: Data,
  pagination: Pagination,
) => object({ ...OF_WAJIK, ok: { const: true }, data, pagination });

const WAJIK_LINK = { animeId: SLUG, href: TEXT, otakudesuUrl: ADDRESS } as const;

export const WajikCard = object({
  title: TEXT,
  poster: ADDRESS,
  episodes: TEXT,
  releaseDay: Day,
  latestReleaseDate: TEXT,
  ...WAJIK_LINK,
} as const);
export const WajikPagination = object({
  currentPage: COUNT,
  hasPrevPage: FLAG,
  prevPage: COUNT_OR_NULL,
  hasNextPage: FLAG,
  nextPage: COUNT_OR_NULL,
  totalPages: COUNT,
});
export const WajikAnimeList = object({ animeList: array(WajikCard) });
export const WajikOngoing = wajik(WajikAnimeList, WajikPagination);

export const WajikHomeList = object({ href: TEXT, otakudesuUrl: TEXT, animeList: array(WajikCard) });
export const WajikHomeData = object({ ongoing: WajikHomeList, completed: WajikHomeList });
export const WajikHome = wajik(WajikHomeData, NOTHING);

export const WajikLink = object({ title: TEXT, ...WAJIK_LINK });
export const WajikDay = object({ title: { enum: DAYS }, animeList: array(WajikLink) } as const);
export const WajikScheduleData = object({ scheduleList: array(WajikDay) });
export const WajikSchedule = wajik(WajikScheduleData, NOTHING);

export const WajikGenre = object({ title: TEXT, genreId: TEXT, href: TEXT, otakudesuUrl: ADDRESS });
export const WajikEpisode = object({ title: TEXT, episodeId: TEXT, href: TEXT, otakudesuUrl: ADDRESS });
export const WajikBatch = object({ title: TEXT, batchId: TEXT, href: TEXT, otakudesuUrl: ADDRESS });
export const WajikSynopsis = object({ paragraphList: array(TEXT) });
export const WajikDetails = object({
  title: TEXT,
  japanese: TEXT,
  score: TEXT,
  producers: TEXT,
  type: TEXT,
  status: TEXT,
  episodes: TEXT,
  duration: TEXT,
  aired: TEXT,
  studios: TEXT,
  poster: TEXT,
  synopsis: WajikSynopsis,
  batch: orNull(WajikBatch),
  genreList: array(WajikGenre),
  episodeList: array(WajikEpisode),
  recommendedAnimeList: { ...array(TEXT), maxItems: 0 },
} as const);
export const WajikAnimeData = object({ details: WajikDetails });
export const WajikAnime = wajik(WajikAnimeData, NOTHING);

export const WajikError = object({ ...OF_WAJIK, ok: { const: false }, data: NOTHING, pagination: NOTHING });

export const UguuFile = object({ hash: TEXT, filename: TEXT, url: ADDRESS, size: COUNT, dupe: FLAG });
export const UguuUpload = object({ success: { const: true }, files: array(UguuFile) });
export const UguuError = object({ success: { const: false }, errorcode: COUNT, description: TEXT });

export const TmpfilesData = object({ url: ADDRESS });
export const TmpfilesUpload = object({ status: { const: 'success' }, data: TmpfilesData });
export const TmpfilesError = object({ status: { const: 'error' }, message: TEXT });
