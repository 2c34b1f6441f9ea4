import type { Language } from '../pages/i18n/translations.ts';

/**
 * The addresses of the documents of an edition, apart from what renders them: the thread that serves them does not load
 * that.
 */

/** The index of the API. */
export const API_PATH = '/api';
export const ANIME_PATH = '/api/anime';
export const SCHEDULE_PATH = '/api/anime/schedule';
export const HOME_PATH = '/api/anime/home';
export const UPCOMING_PATH = '/api/anime/upcoming';
export const RELEASES_PATH = '/api/anime/releases';
export const EVENTS_PATH = '/api/anime/events';
export const animeAddress = (slug: string) => `${ANIME_PATH}/${slug}`;
/** The page of an anime for people, at the public origin `url`. */
export const animePage = (url: string, slug: string) => `${url}/anime/${slug}`;

/** The front page in one language. */
export const frontPageAddress = (language: Language) => `/?lang=${language}`;

export const CALENDAR_PATH = '/feeds/schedule.ics';
export const ATOM_PATH = '/feeds/episodes.atom';
export const JSON_FEED_PATH = '/feeds/episodes.json';
export const FEED_PATHS = [ATOM_PATH, JSON_FEED_PATH, CALENDAR_PATH];
/** The address of a feed or calendar of one anime. */
export const feedAddress = (path: string, slug: string) => `${path}?slug=${slug}`;

/** The path before all addresses in the form of wajik-anime-api. */
export const WAJIK_ROOT = '/otakudesu';
export const WAJIK_HOME = `${WAJIK_ROOT}/home`;
export const WAJIK_SCHEDULE = `${WAJIK_ROOT}/schedule`;
export const WAJIK_ONGOING = `${WAJIK_ROOT}/ongoing`;
export const wajikAnime = (slug: string) => `${WAJIK_ROOT}/anime/${slug}`;

/** What the scripts of pages read of all anime. */
export const LISTED_ANIME_PATH = '/anime.json';
export const SITEMAP_PATH = '/sitemap.xml';

/** The paths of documents that every edition has. */
export const FIXED_PATHS = [
  ANIME_PATH,
  SCHEDULE_PATH,
  UPCOMING_PATH,
  RELEASES_PATH,
  ...FEED_PATHS,
  WAJIK_HOME,
  WAJIK_SCHEDULE,
  LISTED_ANIME_PATH,
  SITEMAP_PATH,
];
/** The paths that have a document for each page of the ongoing list, at `?page=2`. */
export const PAGED_PATHS = [HOME_PATH, WAJIK_ONGOING];
/** Documents that only a whole crawl keeps fresh: a peek does not read the schedule. */
export const SCHEDULE_PATHS = [SCHEDULE_PATH, CALENDAR_PATH, WAJIK_SCHEDULE];
