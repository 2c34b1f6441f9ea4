import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import type { Report } from '../domain/report.ts';
import { renderListingErrorPage } from '../pages/listing-error.ts';
import { WORDS } from '../pages/words/all.ts';
import type { Files } from '../publishing/site-files.ts';
import { chooseLanguage } from './choose-language.ts';
import type { EventStream } from './event-stream.ts';
import { allowedMethods } from './middleware/allowed-methods.ts';
import { cors } from './middleware/cors.ts';
import { errorBody } from './middleware/error-body.ts';
import { lingeringClose } from './middleware/lingering-close.ts';
import { tellAnswers } from './middleware/tell-answers.ts';
import { DESCRIPTION_PATHS } from './openapi/describe-api.ts';
import { type ListingView, presentReadiness, sendState } from './routes/health.ts';
import { LISTING_CORS, LISTING_PATHS, listingDocuments } from './routes/listing.ts';
import { routeNews } from './routes/news.ts';
import { documents, readyDocuments, sendDocument } from './send-document.ts';
import type { Tally } from './tally.ts';

export interface ListingAppOptions {
  view: ListingView;
  /** What lies at fixed places beside the listing. */
  files: Files;
  stream: EventStream;
  report: Report;
  tally?: Tally | undefined;
}

/** The app at BASE_URL. No request makes it talk to the source: it reads the edition that a refresh published. */
export function createListingApp({ view, files, stream, report, tally }: ListingAppOptions): Koa {
  const source = listingDocuments(view, files);
  const router = new Router({ strict: true, sensitive: true });
  router.get([...LISTING_PATHS, ...DESCRIPTION_PATHS], documents(source));
  routeNews(router, view, stream, (ctx, document) => sendDocument(ctx, document, source.headers()));
  router.get('/healthz', (ctx) => sendState(ctx, { status: true }));
  router.get('/readyz', (ctx) => sendState(ctx, presentReadiness(view)));

  const app = new Koa();
  // What is thrown is caught below; what is left are connections that break, which is no news.
  app.silent = true;
  app.use(readyDocuments(source, tally));
  app.use(lingeringClose);
  app.use(tellAnswers('listing', report));
  app.use(errorBody(report, renderError));
  app.use(cors(LISTING_CORS));
  app.use(allowedMethods);
  app.use(router.routes());
  return app;
}

function renderError(status: number, message: string, ctx: Context): string {
  ctx.vary('Accept-Language');
  const words = WORDS[chooseLanguage(ctx.querystring, ctx.get('Accept-Language'))];
  ctx.set('Content-Language', words.language);
  return renderListingErrorPage(status, message, words);
}
