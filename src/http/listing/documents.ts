import type { IncomingHttpHeaders } from 'node:http';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { animePath } from '../../pages/listing-page.ts';
import {
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
import { chooseLanguage } from '../negotiate.ts';
import { type DocumentSource, findSiteDocument } from '../send-document.ts';
import { presentCacheStatus } from './cache-status.ts';
import { LISTING_CORS_HEADERS } from './cors.ts';
import { normalizeSlug, requireEdition } from './require-edition.ts';

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

/** The documents of the listing's origin, with the headers that say how fresh they are. */
export function listingDocuments(view: ListingView, siteDocuments: () => Documents): DocumentSource {
  return {
    find: (path, query, headers) =>
      findDocument(view, path, query, headers) ?? findSiteDocument(siteDocuments(), path, query, headers),
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
  if (root === '/api') return findAnime(view, animeAddress(slug));
  if (root === '/otakudesu') return findAnime(view, wajikAnime(slug));
  return findAnime(view, animePath(slug, language()));
}

function findAnime(view: ListingView, address: string): Document {
  const document = requireEdition(view).documents.get(address);
  if (document) return document;
  throw new AppError(
    'not-found',
    'no anime with this slug is in the schedule or in the ongoing list, or was in the last 90 days',
  );
}

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
