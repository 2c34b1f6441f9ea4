import Router from '@koa/router';
import type Koa from 'koa';
import type { Context } from 'koa';
import type { Report } from '../domain/report.ts';
import { renderListingErrorPage } from '../pages/listing-error.ts';
import { WORDS } from '../pages/words/all.ts';
import { DESCRIPTION_PATHS, type Files } from '../publishing/site-files.ts';
import { chooseLanguage } from './choose-language.ts';
import { createDocumentApp } from './document-app.ts';
import type { EventStream } from './event-stream.ts';
import { allowedMethods } from './middleware/allowed-methods.ts';
import { cors } from './middleware/cors.ts';
import { defaultHeaders } from './middleware/default-headers.ts';
import { errorBody } from './middleware/error-body.ts';
import { lingeringClose } from './middleware/lingering-close.ts';
import { tellAnswers } from './middleware/tell-answers.ts';
import { type ListingView, presentReadiness, sendState } from './routes/health.ts';
import { LISTING_CORS, LISTING_PATHS, listingDocuments } from './routes/listing.ts';
import { routeNews } from './routes/news.ts';
import { createReadySender, documents, sendDocument, waitFor } from './send-document.ts';
import type { Tally } from './tally.ts';

export interface ListingAppOptions {
  view: ListingView;
  /** What lies at fixed places beside the listing. */
  files: Files;
  /** Resolves once `files` has what describes the API. */
  described: () => Promise<void>;
  stream: EventStream;
  report: Report;
  tally?: Tally | undefined;
}

/** The app at BASE_URL. No request makes it talk to the source: it reads the edition that a refresh published. */
export function createListingApp({ view, files, described, stream, report, tally }: ListingAppOptions): Koa {
  const source = listingDocuments(view, files);
  const router = new Router({ strict: true, sensitive: true });
  router.get(LISTING_PATHS, documents(source));
  router.get(DESCRIPTION_PATHS, waitFor(described), documents(source));
  routeNews(router, view, stream, (ctx, document) => sendDocument(ctx, document, source));
  router.get('/healthz', (ctx) => sendState(ctx, { status: true }));
  router.get('/readyz', (ctx) => sendState(ctx, presentReadiness(view)));

  const app = createDocumentApp(createReadySender(source, tally));
  app.use(defaultHeaders);
  app.use(lingeringClose);
  app.use(tellAnswers('listing', report));
  app.use(errorBody(report, renderError));
  app.use(cors(LISTING_CORS));
  app.use(allowedMethods(router, (path) => files.get(path) !== undefined));
  app.use(router.routes());
  return app;
}

function renderError(status: number, message: string, ctx: Context): string {
  ctx.vary('Accept-Language');
  const words = WORDS[chooseLanguage(ctx.querystring, ctx.get('Accept-Language'))];
  ctx.set('Content-Language', words.language);
  return renderListingErrorPage({ status, code: ctx.state.code, message }, words);
}
