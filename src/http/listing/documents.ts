import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../domain/errors.ts';
import type { Document, Documents } from '../../publishing/document.ts';
import { type Edition, homeAddress } from '../../publishing/edition.ts';
import { frontAddress } from '../../publishing/front.ts';
import { chooseLanguage } from '../choose-language.ts';
import type { ListingView } from '../health.ts';
import { corsHeaders } from '../middleware/cors.ts';
import type { DocumentSource } from '../send-document.ts';
import { presentCacheStatus } from './cache-status.ts';
import { requireEdition } from './require-edition.ts';

export const LISTING_PATHS = [
  '/',
  '/api/anime/schedule',
  '/api/anime/home',
  '/feeds/episodes.atom',
  '/feeds/episodes.json',
];
/** What only a whole crawl keeps fresh: a peek reads no schedule. */
const SCHEDULE_PATHS = new Set(['/api/anime/schedule', '/feeds/schedule.ics']);
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
    find: (path, query, headers) => findDocument(view, path, query, headers) ?? siteDocuments().get(path),
    headers,
    now: view.now,
  };
}

/**
 * Throws AppError as `requireEdition` does before the first snapshot; `invalid-request` or `not-found` for a page of the
 * list that does not exist.
 */
function findDocument(
  view: ListingView,
  path: string,
  query: string,
  headers: IncomingHttpHeaders,
): Document | undefined {
  switch (path) {
    case '/api/anime/home':
      return findPage(requireEdition(view), query);
    case '/':
      return requireEdition(view).documents.get(
        frontAddress(chooseLanguage(query, headers['accept-language'])),
      );
    case '/api/anime/schedule':
    case '/feeds/episodes.atom':
    case '/feeds/episodes.json':
      return requireEdition(view).documents.get(path);
    case '/feeds/schedule.ics':
      return query === '' ? requireEdition(view).documents.get(path) : undefined;
    default:
      return undefined;
  }
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
