import type { RequestListener } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import type { Report } from '../../domain/operational-event.ts';
import { TRANSLATIONS } from '../../pages/i18n/all.ts';
import { renderListingErrorPage } from '../../pages/listing-error.ts';
import type { Documents } from '../../publishing/document.ts';
import { chooseLanguage } from '../choose-language.ts';
import { type ListingView, presentReadiness, sendState } from '../health.ts';
import { allowedMethods } from '../middleware/allowed-methods.ts';
import { cors } from '../middleware/cors.ts';
import { defaultHeaders } from '../middleware/default-headers.ts';
import { errorBody } from '../middleware/error-body.ts';
import { lingeringClose } from '../middleware/lingering-close.ts';
import { requestLog } from '../middleware/request-log.ts';
import {
  type CountDocument,
  type DocumentSource,
  documents,
  documentsBefore,
  respondWith,
} from '../send-document.ts';
import { LISTING_CORS, LISTING_PATHS, listingDocuments } from './documents.ts';
import type { EventStream } from './event-stream.ts';
import { routeNews } from './news.ts';

export interface ListingAppOptions {
  view: ListingView;
  site: Site;
  stream: EventStream;
  report: Report;
  /** Absent where nothing is measured. */
  countDocument?: CountDocument | undefined;
}

/** What the origin has beside the listing, by path. It comes a moment after the listing. */
export interface Site {
  site: () => Documents;
  siteReceived: Promise<void>;
}

/** The app at BASE_URL. No request makes it talk to the source: it reads the edition that a refresh published. */
export function createListingApp(options: ListingAppOptions): RequestListener {
  const { view, stream, report } = options;
  const source = listingDocuments(view, options.site.site);
  const router = new Router({ strict: true, sensitive: true });
  router.get(LISTING_PATHS, documents(source));
  routeNews(router, view, stream, (ctx, document) => respondWith(ctx, document, source));
  router.get('/healthz', (ctx) => sendState(ctx, { status: true }));
  router.get('/readyz', (ctx) => sendState(ctx, presentReadiness(view)));

  const app = new Koa();
  // What is thrown is caught below; what is left are connections that break, which is no news.
  app.silent = true;
  app.use(defaultHeaders);
  app.use(lingeringClose);
  app.use(requestLog('listing', report));
  app.use(errorBody(report, renderError));
  app.use(cors(LISTING_CORS));
  app.use(allowedMethods(router, (path) => options.site.site().has(path)));
  app.use(router.routes());
  app.use(awaitSite(options.site, source));
  return documentsBefore(app.callback(), source, options.countDocument);
}

/** Keeps a request that may be for what the origin has beside the listing until that has come. */
function awaitSite({ siteReceived }: Site, source: DocumentSource): Middleware {
  const send = documents(source);
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    await siteReceived;
    return send(ctx, next);
  };
}

function renderError(status: number, message: string, ctx: Context): string {
  ctx.vary('Accept-Language');
  const words = TRANSLATIONS[chooseLanguage(ctx.querystring, ctx.get('Accept-Language'))];
  ctx.set('Content-Language', words.language);
  return renderListingErrorPage({ status, code: ctx.state.code, message }, words);
}
