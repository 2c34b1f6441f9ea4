import type { RequestListener } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context } from 'koa';
import type { Report } from '../../domain/operational-event.ts';
import { formatSize, timeFormatter } from '../../domain/units.ts';
import { renderErrorPage } from '../../pages/error.ts';
import type { Limiter } from '../../uploads/limiter.ts';
import { ownerOf } from '../../uploads/limiter-keys.ts';
import type { Uploads } from '../../uploads/receive.ts';
import { createClientAddress, type TrustProxy } from '../client-address.ts';
import { allowedMethods } from '../middleware/allowed-methods.ts';
import { cors } from '../middleware/cors.ts';
import { defaultHeaders } from '../middleware/default-headers.ts';
import { errorBody, type RenderError } from '../middleware/error-body.ts';
import { lingeringClose } from '../middleware/lingering-close.ts';
import { requestLog } from '../middleware/request-log.ts';
import { type CountDocument, type DocumentSource, documents, documentsBefore } from '../send-document.ts';
import { uploadAddresses } from './addresses.ts';
import { UPLOAD_DOCUMENT_PATHS } from './documents.ts';
import { fileRoutes } from './files.ts';
import { limitConcurrency } from './limit-concurrency.ts';
import { DOWNLOAD_LIMITS, limitDownloads } from './limit-downloads.ts';
import { limitRate, tellRate } from './limit-rate.ts';
import { SLOWEST } from './min-upload-rate.ts';
import { receiveUpload, refuseEarly } from './receive-upload.ts';
import { createVisitors, type Visitor } from './visitor.ts';

export interface UploadAppOptions {
  uploads: Uploads;
  limiter: Limiter;
  documents: DocumentSource;
  /** Public origin. */
  url: string;
  maxBytes: number;
  ttlMs: number;
  rateLimit: number;
  rateWindowMs: number;
  concurrency: number;
  trustProxy: TrustProxy;
  timeZone: string;
  /** Wall clock, ms since 1970. */
  now: () => number;
  report: Report;
  /** Absent where nothing is measured. */
  countDocument?: CountDocument | undefined;
}

/** The app at UPLOAD_URL: an origin of its own, so that a stranger's file shares nothing with the listing. */
export function createUploadApp(options: UploadAppOptions): RequestListener {
  const {
    uploads,
    limiter,
    rateLimit: limit,
    rateWindowMs: windowMs,
    timeZone,
    maxBytes,
    ttlMs,
    now,
    report,
  } = options;
  const clientAddress = createClientAddress(options.trustProxy);
  const addressOf = (ctx: Context) => clientAddress(ctx.req);
  const owner = (ctx: Context) => ownerOf(addressOf(ctx));
  const rate = { limiter, limit, windowMs, addressOf, report };
  const addresses = uploadAddresses(options.url);
  const visitorOf = createVisitors(timeZone);
  const shown = { uploads, addresses, formatTime: timeFormatter(timeZone), visitorOf, now };
  const files = fileRoutes(shown);

  const router = new Router({ strict: true, sensitive: true });
  router.post(
    '/upload',
    tellRate(rate),
    limitConcurrency(options.concurrency, owner, report),
    limitRate(rate),
    refuseEarly(maxBytes),
    receiveUpload({ ...shown, maxBytes, ttlMs, ownerOf: owner, ...SLOWEST }),
  );
  router.get(UPLOAD_DOCUMENT_PATHS, documents(options.documents));
  router.get('/f/:name', limitDownloads(DOWNLOAD_LIMITS, owner), files.sendFile);
  router.get('/d/:id/:key', files.askToDelete);
  router.post('/d/:id/:key', files.deleteByForm);
  router.delete('/d/:id/:key', files.deleteFile);
  router.get('/:id', files.showFile);

  const hasDocument = (path: string) => options.documents.find(path, '', {}) !== undefined;
  const app = new Koa();
  // What is thrown is caught below; what is left are connections that break, which is no news.
  app.silent = true;
  app.use(defaultHeaders);
  app.use(lingeringClose);
  app.use(requestLog('uploads', report));
  app.use(errorBody(report, renderError(visitorOf, formatSize(maxBytes))));
  app.use(cors({ methods: ['GET', 'HEAD', 'POST', 'DELETE'], expose: EXPOSED }));
  app.use(allowedMethods(router, hasDocument));
  app.use(router.routes());
  return documentsBefore(app.callback(), options.documents, options.countDocument);
}

/** The page of an error, for the visitor of the request; `max`: how large a file may be. */
function renderError(visitorOf: (ctx: Context) => Visitor, max: string): RenderError {
  return (status, message, ctx) => {
    const { words } = visitorOf(ctx);
    ctx.vary('Accept-Language');
    ctx.set('Content-Language', words.language);
    const retryAfterSeconds = ctx.response.get('Retry-After');
    return renderErrorPage({ status, message, max, retryAfterSeconds }, words);
  };
}

const EXPOSED = ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Delete-Url'];
