import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../domain/errors.ts';
import type { Document, Documents } from '../../publishing/document.ts';
import { type Edition, homeAddress } from '../../publishing/edition.ts';
import { frontAddress } from '../../publishing/front.ts';
import type { ListingState } from '../../publishing/listing-state.ts';
import { chooseLanguage } from '../choose-language.ts';
import type { ListingView } from '../health.ts';
import { corsHeaders } from '../middleware/cors.ts';
import type { DocumentSource } from '../send-document.ts';
import { findSiteDocument } from '../site-document.ts';
import { type Freshness, presentCacheStatus } from './cache-status.ts';
import { ready } from './ready.ts';

export const LISTING_PATHS = [
  '/',
  '/api/anime/schedule',
  '/api/anime/home',
  '/feeds/episodes.atom',
  '/feeds/episodes.json',
];
export const LISTING_CORS = { methods: ['GET', 'HEAD'], expose: ['ETag', 'Cache-Status'] };

/** The documents of the listing's paths, and what is said of their freshness. */
export function listingDocuments(view: ListingView, site: () => Documents): DocumentSource {
  const fixed = [...Object.entries(corsHeaders(LISTING_CORS)).flat(), 'X-Content-Type-Options', 'nosniff'];
  const headers = everySecond((now) => [
    ...fixed,
    'Cache-Status',
    presentCacheStatus(freshnessOf(view.state()), now),
  ]);
  return {
    find: (path, query, headers) =>
      findDocument(view, path, query, headers) ?? findSiteDocument(site(), path, query, headers),
    headers: () => headers(view.now(), view.state()),
    now: view.now,
  };
}

/** Throws AppError as `ready` does before the first snapshot, `invalid-request` and `not-found` for a page that cannot be. */
function findDocument(
  view: ListingView,
  path: string,
  query: string,
  headers: IncomingHttpHeaders,
): Document | undefined {
  switch (path) {
    case '/api/anime/schedule':
      return ready(view).documents.get(path);
    case '/api/anime/home':
      return findPage(ready(view), query);
    case '/':
      return ready(view).documents.get(frontAddress(chooseLanguage(query, headers['accept-language'])));
    case '/feeds/episodes.atom':
    case '/feeds/episodes.json':
      return ready(view).documents.get(path);
    case '/feeds/schedule.ics':
      return query === '' ? ready(view).documents.get(path) : undefined;
    default:
      return undefined;
  }
}

function findPage(edition: Edition, query: string): Document {
  const address = query === '' ? homeAddress(1) : `/api/anime/home?${query}`;
  return edition.documents.get(address) ?? findAskedPage(edition, query);
}

/** What is left: other parameters, escapes, and pages that cannot be. */
function findAskedPage({ documents, pages }: Edition, query: string): Document {
  const asked = new URLSearchParams(query).getAll('page');
  const [page = '1'] = asked;
  const range = `from 1 to ${pages}`;
  if (asked.length > 1 || !/^[1-9][0-9]*$/u.test(page)) {
    throw new AppError('invalid-request', `page must be given once, as a whole number ${range}`);
  }
  const document = documents.get(homeAddress(page));
  if (!document) throw new AppError('not-found', `there is no page ${page.slice(0, 20)}: pages go ${range}`);
  return document;
}

function freshnessOf(state: ListingState | undefined): Freshness {
  return { state: state?.source.state ?? null, dueAt: state?.dueAt ?? null };
}

/** What holds for a second, and for as long as it is made from the same: `ttl` counts in seconds. */
function everySecond<Value>(make: (now: number) => Value) {
  let madeIn = Number.NaN;
  let madeFrom: unknown;
  let made: Value;
  return (now: number, from: unknown): Value => {
    const second = Math.floor(now / 1_000);
    if (second !== madeIn || from !== madeFrom) {
      [madeIn, madeFrom, made] = [second, from, make(now)];
    }
    return made;
  };
}
