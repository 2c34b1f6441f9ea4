import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../domain/errors.ts';
import type { Document } from '../../publishing/document.ts';
import type { Files } from '../../publishing/site-files.ts';
import { presentCacheStatus } from '../cache-status.ts';
import { chooseLanguage } from '../choose-language.ts';
import { corsHeaders } from '../middleware/cors.ts';
import type { DocumentSource } from '../send-document.ts';
import type { ListingView } from './health.ts';
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
export function listingDocuments(view: ListingView, assets: Files): DocumentSource {
  const fixed = [...Object.entries(corsHeaders(LISTING_CORS)).flat(), 'X-Content-Type-Options', 'nosniff'];
  const headers = everySecond((now) => [...fixed, 'Cache-Status', presentCacheStatus(view.freshness(), now)]);
  return {
    find: (path, query, headers) => findDocument(view, path, query, headers) ?? assets.get(path),
    headers: () => headers(view.now(), view.status()),
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
      return ready(view).schedule;
    case '/api/anime/home':
      return findPage(ready(view).home, query);
    case '/':
      return ready(view).front[chooseLanguage(query, headers['accept-language'])];
    case '/feeds/episodes.atom':
    case '/feeds/episodes.json':
      return ready(view).feeds.documents.get(path);
    case '/feeds/schedule.ics':
      return query === '' ? ready(view).feeds.documents.get(path) : undefined;
    default:
      return undefined;
  }
}

function findPage(home: Document[], query: string): Document | undefined {
  if (query === '') return home[0];
  const plain = /^page=([1-9]\d{0,5})$/u.exec(query)?.[1];
  const document = plain && home[Number(plain) - 1];
  return document || findAskedPage(home, query);
}

/** What is left: other parameters, escapes, and what cannot be. */
function findAskedPage(home: Document[], query: string): Document {
  const asked = new URLSearchParams(query).getAll('page');
  const [page = '1'] = asked;
  const range = `from 1 to ${home.length}`;
  if (asked.length > 1 || !/^[1-9][0-9]*$/u.test(page)) {
    throw new AppError('invalid-request', `page must be given once, as a whole number ${range}`);
  }
  const document = home[Number(page) - 1];
  if (!document) throw new AppError('not-found', `there is no page ${page.slice(0, 20)}: pages go ${range}`);
  return document;
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
