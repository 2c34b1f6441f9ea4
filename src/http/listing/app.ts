import type { RequestListener } from 'node:http';
import Koa, { type Middleware } from 'koa';
import type { Report } from '../../domain/operational-event.ts';
import { renderListingErrorPage } from '../../pages/error.ts';
import { TRANSLATIONS } from '../../pages/i18n/translations.ts';
import { API_PATH, WAJIK_ROOT } from '../../publishing/addresses.ts';
import type { Documents } from '../../publishing/document.ts';
import { type ListingView, routeHealth } from '../health.ts';
import { allowedMethods } from '../middleware/allowed-methods.ts';
import { errorBody, ownAddress, type SendError, sendJsonError } from '../middleware/error-body.ts';
import { lingeringClose } from '../middleware/lingering-close.ts';
import { requestLog } from '../middleware/request-log.ts';
import { cors, defaultHeaders } from '../middleware/response-headers.ts';
import { Router } from '../modules.ts';
import { sendPage } from '../page-documents.ts';
import {
  type CountDocument,
  type DocumentSource,
  documentShortcut,
  documents,
  respondWith,
  withShortcuts,
} from '../send-document.ts';
import type { Lingering } from '../server/linger.ts';
import type { ChannelRoutes } from './channels.ts';
import { LISTING_CORS } from './cors.ts';
import { type ReadCover, routeCovers } from './covers.ts';
import { LISTING_PATHS, listingDocuments } from './documents.ts';
import type { EventStream } from './event-stream.ts';
import { routeEvents, streamShortcut } from './events.ts';
import { routeFeeds } from './feeds.ts';
import { keepAnswers } from './kept-answers.ts';
import type { PushRoutes } from './push.ts';
import type { ReadStore } from './read-store.ts';
import { redirectRenamed } from './redirect-renamed.ts';
import type { SendDocument } from './send.ts';
import { routeStatusPage } from './status-page.ts';

interface ListingAppOptions {
  view: ListingView & SiteView;
  stream: EventStream;
  readStore: ReadStore;
  readCover: ReadCover;
  lingering: Lingering;
  /** Adds the routes of Web Push; absent where it is off. */
  push?: PushRoutes | undefined;
  /** Adds the routes for channels; absent where they are off. */
  channels?: ChannelRoutes | undefined;
  timeZone: string;
  report: Report;
  /** Absent where nothing is measured. */
  countDocument?: CountDocument | undefined;
}

/** The documents that do not depend on the listing, by path: assets, the API's description, well-known files. */
interface SiteView {
  siteDocuments: () => Documents;
  /** Resolves when they are there, a moment after the listing. */
  siteReceived: Promise<void>;
}

/** Creates the app at BASE_URL. It reads the current edition; no request causes one to the source. */
export function createListingApp(options: ListingAppOptions): RequestListener {
  const { view, stream, readStore, readCover, timeZone, report } = options;
  const source = listingDocuments({ view, siteDocuments: view.siteDocuments, timeZone });
  const router = new Router({ strict: true, sensitive: true });
  router.get(LISTING_PATHS, documents(source));
  const send: SendDocument = (ctx, document) => respondWith(ctx, document, source);
  const keep = keepAnswers(view);
  routeEvents(router, { view, stream, readStore, keep, send });
  routeFeeds(router, { view, keep, send });
  routeCovers(router, { view, readStore, readCover, send });
  routeHealth(router, view);
  routeStatusPage(router, { view, timeZone, send });
  options.push?.(router);
  options.channels?.(router);

  const app = new Koa();
  // `errorBody` handles errors. Koa itself would only print errors of broken connections.
  app.silent = true;
  app.use(defaultHeaders);
  app.use(lingeringClose(options.lingering, (ctx) => ctx.ip));
  app.use(requestLog('listing', report));
  app.use(errorBody(report, sendError(options)));
  app.use(corsOutsideSubscriptions);
  app.use(allowedMethods(router, (path) => view.siteDocuments().has(path)));
  app.use(redirectRenamed(view, source));
  app.use(router.routes());
  app.use(awaitSite(view, source));
  const shortcuts = [documentShortcut(source), streamShortcut(stream)];
  return withShortcuts(app.callback(), shortcuts, options.countDocument);
}

const allowAllOrigins = cors(LISTING_CORS);

/** Subscriptions are for the pages of this origin. */
const corsOutsideSubscriptions: Middleware = (ctx, next) =>
  /^\/(?:push|channels)(?:\/|$)/u.test(ctx.path) ? next() : allowAllOrigins(ctx, next);

/** Lets a request that may be for a site document wait until these have been received. */
function awaitSite({ siteReceived }: SiteView, source: DocumentSource): Middleware {
  const send = documents(source);
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    await siteReceived;
    return send(ctx, next);
  };
}

const API_ADVICE = `GET ${API_PATH} lists the endpoints, and /docs explains them`;

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

/** Sends errors as pages, or as JSON: under the path of wajik-anime-api in its form. */
function sendError({ view, timeZone }: ListingAppOptions): SendError {
  return (ctx, message) => {
    const { status, path } = ctx;
    if (ctx.accepts('json', 'html') !== 'html') {
      if (!isBelow(WAJIK_ROOT, path)) {
        const isWrongPath = status === 404 && isBelow(API_PATH, path);
        return sendJsonError(ctx, isWrongPath ? `${message}; ${API_ADVICE}` : message);
      }
      const envelope = { statusCode: status, statusMessage: ctx.message, message };
      ctx.body = { ...envelope, ok: false, data: null, pagination: null };
      return;
    }
    const state = status === 503 ? view.state() : undefined;
    const nextAttempt = state?.isRefreshing ? null : (state?.nextAttempt ?? null);
    const query = new URLSearchParams(ctx.querystring);
    query.delete('lang');
    const address = query.size > 0 ? `?${query}` : ownAddress(ctx);
    const isAnime = path.startsWith('/anime/');
    const error = { status, address, code: ctx.state.code, message, nextAttempt, isAnime };
    sendPage(ctx, (language) => renderListingErrorPage(error, TRANSLATIONS[language], timeZone));
  };
}
