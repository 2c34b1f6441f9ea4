import type { IncomingHttpHeaders } from 'node:http';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { findNearest } from '../../domain/typos.ts';
import { animePath } from '../../pages/listing-page.ts';
import {
  ANIME_PATH,
  animeAddress,
  EVENTS_PATH,
  FEED_PATHS,
  FIXED_PATHS,
  frontPageAddress,
  PAGED_PATHS,
  wajikAnime,
} from '../../publishing/addresses.ts';
import type { Document, Documents } from '../../publishing/document.ts';
import type { Edition } from '../../publishing/edition.ts';
import type { ListingView } from '../health.ts';
import { loggedPath } from '../middleware/request-log.ts';
import { chooseLanguage } from '../negotiate.ts';
import { type DocumentSource, findSiteDocument } from '../send-document.ts';
import { presentCacheStatus } from './cache-status.ts';
import { LISTING_CORS_HEADERS } from './cors.ts';
import { normalizeSlug, refuseSlug, requireEdition } from './require-edition.ts';
import { createSelections } from './selections.ts';

/** Route patterns. `findDocument` decides which of their paths have a document. */
export const LISTING_PATHS = [
  '/',
  ...FIXED_PATHS,
  ...PAGED_PATHS,
  animeAddress(':slug'),
  '/anime/:slug',
  wajikAnime(':slug'),
];

/** The address of an anime: its page, its record in the API, or its record in the form of wajik-anime-api. */
const ANIME_ADDRESS = /^(?<root>\/api|\/otakudesu)?\/anime\/(?<name>[^/]+)$/u;

interface ListingDocumentsOptions {
  view: ListingView;
  /** The documents that do not depend on the listing, by path. */
  siteDocuments: () => Documents;
  timeZone: string;
}

/** The documents of the listing's origin, with the headers that say how fresh they are. */
export function listingDocuments({ view, siteDocuments, timeZone }: ListingDocumentsOptions): DocumentSource {
  const findSelection = createSelections(view, timeZone);
  return {
    find: (path, query, headers) =>
      findSelection(path, query) ??
      findDocument(view, path, query, headers) ??
      findSiteDocument(siteDocuments(), path, query, headers),
    headers: (path) => [
      ...LISTING_CORS_HEADERS,
      'Cache-Status',
      presentCacheStatus(path, view.state(), view.now()),
    ],
    now: view.now,
  };
}

/**
 * Throws AppError as `requireEdition` does before the first snapshot, `invalid-request` for an invalid page number, and
 * `not-found` for a page or an anime that is not listed.
 */
function findDocument(
  view: ListingView,
  path: string,
  query: string,
  headers: IncomingHttpHeaders,
): Document | undefined {
  if (PAGED_PATHS.includes(path)) return findPage(requireEdition(view), path, query);
  const language = () => chooseLanguage(query, headers);
  if (path === '/') return requireEdition(view).documents.get(frontPageAddress(language()));
  if (FIXED_PATHS.includes(path)) {
    // With a query, feeds and calendars are of single anime, and have routes of their own.
    const isFeed = query !== '' && FEED_PATHS.includes(path);
    return isFeed ? undefined : requireEdition(view).documents.get(path);
  }
  const { root, name } = ANIME_ADDRESS.exec(path)?.groups ?? {};
  if (name === undefined || path === EVENTS_PATH) return undefined;
  const slug = normalizeSlug(name);
  const { documents } = requireEdition(view);
  if (root === '/api') return documents.get(animeAddress(slug)) ?? refuseApiPath(path, name);
  if (root === '/otakudesu') return documents.get(wajikAnime(slug)) ?? refuseSlug();
  return documents.get(animePath(slug, language())) ?? refuseSlug();
}

/** What stands where a slug could stand, so that a typo in it is not taken for a slug. */
const ENDPOINT_NAMES = FIXED_PATHS.concat(PAGED_PATHS, EVENTS_PATH)
  .filter((path) => path.startsWith(`${ANIME_PATH}/`))
  .map((path) => path.slice(ANIME_PATH.length + 1));

function refuseApiPath(path: string, name: string): never {
  const nearest = findNearest(name.slice(0, MAX_NAME_LENGTH), ENDPOINT_NAMES);
  const message =
    nearest === undefined
      ? `neither an endpoint nor a listed anime is at ${loggedPath(path)}, and none that left in the last 90 days`
      : `there is no endpoint ${loggedPath(path)} (did you mean ${ANIME_PATH}/${nearest}?)`;
  throw new AppError('not-found', message);
}

const MAX_NAME_LENGTH = 50;

function findPage({ documents, pageCount }: Edition, path: string, query: string): Document {
  const document = documents.get(`${path}?${query || 'page=1'}`);
  if (document) return document;
  // The query has other parameters or escapes, or the page number is wrong.
  const values = new URLSearchParams(query).getAll('page');
  const [page = '1'] = values;
  const range = `from 1 to ${pageCount}`;
  if (values.length > 1 || !/^[1-9][0-9]*$/u.test(page)) {
    throw invalidRequest(`page must be given once, as a whole number ${range}`);
  }
  const named = documents.get(`${path}?page=${page}`);
  if (!named) throw new AppError('not-found', `there is no page ${page.slice(0, 20)}: pages go ${range}`);
  return named;
}
