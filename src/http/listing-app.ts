import Router from '@koa/router';
import Koa from 'koa';
import type { Report } from '../domain/report.ts';
import type { Document } from '../publishing/document.ts';
import { allowedMethods } from './middleware/allowed-methods.ts';
import { cors } from './middleware/cors.ts';
import { errorBody } from './middleware/error-body.ts';
import { lingeringClose } from './middleware/lingering-close.ts';
import { tellAnswers } from './middleware/tell-answers.ts';
import { type ListingView, presentReadiness, sendState } from './routes/health.ts';
import { LISTING_CORS, LISTING_PATHS, listingDocuments } from './routes/listing.ts';
import { readyDocuments, sendDocument } from './send-document.ts';
import type { Tally } from './tally.ts';

/** The app at BASE_URL. No request makes it talk to the source: it reads the edition that a refresh published. */
export function createListingApp(
  view: ListingView,
  assets: ReadonlyMap<string, Document>,
  report: Report,
  tally?: Tally,
): Koa {
  const documents = listingDocuments(view, assets);
  const router = new Router({ strict: true, sensitive: true });
  router.get(LISTING_PATHS, (ctx) => {
    const document = documents.find(ctx.path, ctx.querystring);
    if (document) sendDocument(ctx, document, documents.headers());
  });
  router.get('/healthz', (ctx) => sendState(ctx, { status: true }));
  router.get('/readyz', (ctx) => sendState(ctx, presentReadiness(view)));

  const app = new Koa();
  // What is thrown is caught below; what is left are connections that break, which is no news.
  app.silent = true;
  app.use(readyDocuments(documents, tally));
  app.use(lingeringClose);
  app.use(tellAnswers('listing', report));
  app.use(errorBody(report));
  app.use(cors(LISTING_CORS));
  app.use(allowedMethods);
  app.use(router.routes());
  return app;
}
