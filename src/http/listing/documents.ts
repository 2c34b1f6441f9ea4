import type { IncomingHttpHeaders } from 'node:http';
import type { SourceState } from '../../crawler/source-state.ts';
import { AppError } from '../../domain/errors.ts';
import { animeAddress, animePageAddress } from '../../publishing/anime-documents.ts';
import type { Document, Documents } from '../../publishing/document.ts';
import {
  ANIME_ADDRESS,
  type Edition,
  EVENTS_ADDRESS,
  homeAddress,
  SCHEDULE_ADDRESS,
  UPCOMING_ADDRESS,
} from '../../publishing/edition.ts';
import { ATOM_PATH, CALENDAR_PATH, JSON_FEED_PATH } from '../../publishing/feeds/feeds.ts';
import { frontAddress } from '../../publishing/front.ts';
import { chooseLanguage } from '../choose-language.ts';
import type { ListingView } from '../health.ts';
import { corsHeaders } from '../middleware/cors.ts';
import type { DocumentSource } from '../send-document.ts';
import { findSiteDocument } from '../site-document.ts';
import { requireEdition } from './require-edition.ts';
import { normalizeSlug } from './slug.ts';

const HOME_PATH = '/api/anime/home';
const DOCUMENT_PATHS = new Set([
  ANIME_ADDRESS,
  SCHEDULE_ADDRESS,
  UPCOMING_ADDRESS,
  ATOM_PATH,
  CALENDAR_PATH,
  JSON_FEED_PATH,
]);

/** As the router matches them; `find` tells which of them have a document. */
export const LISTING_PATHS = ['/', ...DOCUMENT_PATHS, HOME_PATH, '/api/anime/:slug', '/anime/:slug'];
/** With a query, these answer for single anime. */
const FILTERED_PATHS = new Set([ATOM_PATH, CALENDAR_PATH]);
const ANIME_PATH = /^(\/api)?\/anime\/([^/]+)$/u;
/** What only a whole crawl keeps fresh: a peek reads no schedule. */
const SCHEDULE_PATHS = new Set([SCHEDULE_ADDRESS, CALENDAR_PATH]);

export const LISTING_CORS = { methods: ['GET', 'HEAD'], expose: ['ETag', 'Cache-Status'] };

/** The documents of the listing's origin, with the headers that say how fresh they are. */
export function listingDocuments(view: ListingView, siteDocuments: () => Documents): DocumentSource {
  const fixed = [...Object.entries(corsHeaders(LISTING_CORS)).flat(), 'X-Content-Type-Options', 'nosniff'];
  const headers = (path: string) => {
    const state = view.state();
    const dueAt = SCHEDULE_PATHS.has(path) ? state?.dueAt : state?.ongoingDueAt;
    return [...fixed, 'Cache-Status', presentCacheStatus(state?.source.state, dueAt, view.now())];
  };
  return {
    find: (path, query, headers) =>
      findDocument(view, path, query, headers) ?? findSiteDocument(siteDocuments(), path, query, headers),
    headers,
    now: view.now,
  };
}

/**
 * Presents `Cache-Status` (RFC 9211), which tells clients a stale copy from a fresh one, and why it is stale. `dueAt`:
 * when the document is confirmed next, counted from the last good time; null without a timer. `ttl` is negative
 * once that is past. Times in ms since 1970.
 */
function presentCacheStatus(
  state: SourceState | null | undefined,
  dueAt: number | null | undefined,
  now: number,
): string {
  const ttl = dueAt == null ? '' : `; ttl=${Math.floor((dueAt - now) / 1_000)}`;
  return `tayang; hit${ttl}; detail=${state ?? 'ok'}`;
}

/**
 * Throws AppError as `requireEdition` does before the first snapshot, `invalid-request` for a page number that cannot
 * be, and `not-found` for a page or an anime that is not listed.
 */
function findDocument(
  view: ListingView,
  path: string,
  query: string,
  headers: IncomingHttpHeaders,
): Document | undefined {
  if (path === HOME_PATH) return findPage(requireEdition(view), query);
  const language = () => chooseLanguage(query, headers['accept-language']);
  if (path === '/') return requireEdition(view).documents.get(frontAddress(language()));
  if (DOCUMENT_PATHS.has(path)) {
    const { documents } = requireEdition(view);
    return FILTERED_PATHS.has(path) && query !== '' ? undefined : documents.get(path);
  }
  const [, prefix, name] = ANIME_PATH.exec(path) ?? [];
  if (name === undefined || path === EVENTS_ADDRESS) return undefined;
  const slug = normalizeSlug(name);
  const { documents } = requireEdition(view);
  const document = documents.get(prefix ? animeAddress(slug) : animePageAddress(slug, language()));
  if (document) return document;
  throw new AppError('not-found', 'no anime with this slug is in the schedule or in the ongoing list');
}

function findPage(edition: Edition, query: string): Document {
  const address = query === '' ? homeAddress(1) : `/api/anime/home?${query}`;
  return edition.documents.get(address) ?? findPageByParameters(edition, query);
}

/** Handles queries with other parameters or with escapes, and page numbers that are wrong. */
function findPageByParameters({ documents, pages }: Edition, query: string): Document {
  const values = new URLSearchParams(query).getAll('page');
  const [page = '1'] = values;
  const range = `from 1 to ${pages}`;
  if (values.length > 1 || !/^[1-9][0-9]*$/u.test(page)) {
    throw new AppError('invalid-request', `page must be given once, as a whole number ${range}`);
  }
  const document = documents.get(homeAddress(page));
  if (!document) throw new AppError('not-found', `there is no page ${page.slice(0, 20)}: pages go ${range}`);
  return document;
}
