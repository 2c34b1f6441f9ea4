import type { IncomingHttpHeaders } from 'node:http';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { createTimes } from '../../pages/formats.ts';
import { type Language, TRANSLATIONS } from '../../pages/i18n/translations.ts';
import { animePath } from '../../pages/listing-page.ts';
import { renderStatusPage } from '../../pages/status-page.ts';
import {
  animeAddress,
  EVENTS_PATH,
  FEED_PATHS,
  FIXED_PATHS,
  frontPageAddress,
  PAGED_PATHS,
  SCHEDULE_PATHS,
  wajikAnime,
} from '../../publishing/addresses.ts';
import {
  COMPRESSED_LATER,
  type Document,
  type Documents,
  renderDocument,
} from '../../publishing/document.ts';
import type { Edition } from '../../publishing/edition.ts';
import type { ListingState } from '../../publishing/listing-state.ts';
import type { ListingView } from '../health.ts';
import { corsHeaders } from '../middleware/response-headers.ts';
import { chooseLanguage } from '../negotiate.ts';
import { pageContent } from '../page-documents.ts';
import { type DocumentSource, findSiteDocument } from '../send-document.ts';
import { normalizeSlug, requireEdition } from './require-edition.ts';

/** Route patterns. `findDocument` decides which of their paths have a document. */
export const LISTING_PATHS = [
  '/',
  ...FIXED_PATHS,
  ...PAGED_PATHS,
  ...[animeAddress(':slug'), '/anime/:slug', wajikAnime(':slug')],
];
const ANIME_PATH = /^(\/api|\/otakudesu)?\/anime\/([^/]+)$/u;

export const LISTING_CORS = { methods: ['GET', 'HEAD'], expose: ['ETag', 'Cache-Status'] };

/** The documents of the listing's origin, with the headers that say how fresh they are. */
export function listingDocuments(view: ListingView, siteDocuments: () => Documents): DocumentSource {
  const fixed = Object.entries(corsHeaders(LISTING_CORS)).flat();
  return {
    find: (path, query, headers) =>
      findDocument(view, path, query, headers) ?? findSiteDocument(siteDocuments(), path, query, headers),
    headers(path) {
      const state = view.state();
      const dueAt = SCHEDULE_PATHS.includes(path) ? state?.dueAt : state?.ongoingDueAt;
      return [...fixed, 'Cache-Status', presentCacheStatus(state?.source, dueAt, view.now())];
    },
    now: view.now,
  };
}

/**
 * Presents `Cache-Status` (RFC 9211), which shows clients whether a document is stale, and why. `dueAt`: when a crawl or
 * peek should confirm the document again, counted from the last good one; null where none is scheduled. `ttl` is negative
 * once that time is past, and absent before the first good crawl. Times are in ms since 1970.
 */
function presentCacheStatus(
  source: ListingState['source'] | undefined,
  dueAt: number | null | undefined,
  now: number,
): string {
  const isTimed = dueAt != null && source?.refreshedAt != null;
  const ttl = isTimed ? `; ttl=${Math.floor((dueAt - now) / 1_000)}` : '';
  return `tayang; hit${ttl}${source?.state ? `; detail=${source.state}` : ''}`;
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
  // With a query, feeds and calendars are of single anime, and have routes of their own.
  const isFeed = query !== '' && FEED_PATHS.includes(path);
  if (FIXED_PATHS.includes(path)) return isFeed ? undefined : requireEdition(view).documents.get(path);
  const [, prefix, name] = ANIME_PATH.exec(path) ?? [];
  if (name === undefined || path === EVENTS_PATH) return undefined;
  const slug = normalizeSlug(name);
  const { documents } = requireEdition(view);
  const addressOf = prefix === '/api' ? animeAddress : wajikAnime;
  const document = documents.get(prefix ? addressOf(slug) : animePath(slug, language()));
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

/** The route of the status page: rendered for each request, because it says how the source is now. */
export function routeStatusPage(
  router: Router,
  view: ListingView,
  timeZone: string,
  send: (ctx: Context, document: Document) => void,
): void {
  /** The last page in each language. Usually nothing has changed, so it is sent again, already compressed. */
  const sent = new Map<Language, Document>();

  router.get('/status', (ctx) => {
    const state = view.state();
    const page = {
      source: state?.source ?? NOT_READ,
      nextAttempt: state?.nextAttempt ?? null,
      changedAt: state?.snapshot?.changedAt ?? null,
      lateness: view.edition()?.lateness ?? [],
      now: view.now(),
    };
    const language = chooseLanguage(ctx.querystring, ctx.req.headers);
    const texts = TRANSLATIONS[language];
    const text = renderStatusPage(page, { texts, times: createTimes(texts.locale, timeZone) });
    const content = {
      ...pageContent('/status', language, text),
      ...COMPRESSED_LATER,
      cacheControl: 'no-cache',
    };
    const document = renderDocument(content, view.now(), sent.get(language));
    sent.set(language, document);
    send(ctx, document);
  });
}

const NOT_READ = {
  state: null,
  since: null,
  reason: null,
  readAt: null,
  unchangedSince: null,
  standsStill: false,
  pending: null,
  days: [],
};
