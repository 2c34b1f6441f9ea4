import type { RequestListener } from 'node:http';
import Koa, { type Context, type Middleware } from 'koa';
import { AppError, errorCode } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import { formatSize, timeFormatter } from '../../domain/units.ts';
import { ownerOf } from '../../network/address-buckets.ts';
import type { Limiter } from '../../network/limiter.ts';
import { renderUploadErrorPage } from '../../pages/error.ts';
import type { Collections } from '../../uploads/collections/collections.ts';
import type { UploadLedger } from '../../uploads/ledger.ts';
import type { BlockList } from '../../uploads/moderation/block-list.ts';
import type { Moderation } from '../../uploads/moderation/follow-moderation.ts';
import type { ReportFile } from '../../uploads/moderation/reports.ts';
import { createPlaces } from '../../uploads/places.ts';
import type { ResumableUploads } from '../../uploads/resumable/resumable-uploads.ts';
import { storageDown } from '../../uploads/storage.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import { createClientAddress, type TrustProxy } from '../client-address.ts';
import { allowedMethods } from '../middleware/allowed-methods.ts';
import {
  errorBody,
  internalError,
  ownAddress,
  type SendError,
  sendBody,
  sendJsonError,
} from '../middleware/error-body.ts';
import { lingeringClose } from '../middleware/lingering-close.ts';
import { requestLog } from '../middleware/request-log.ts';
import { type CorsOptions, cors, defaultHeaders } from '../middleware/response-headers.ts';
import { Router } from '../modules.ts';
import { sendPage } from '../page-documents.ts';
import {
  type CountDocument,
  type DocumentSource,
  documentShortcut,
  documents,
  withShortcuts,
} from '../send-document.ts';
import type { Lingering } from '../server/linger.ts';
import { COLLECTIONS_PATH, collectionRoutes } from './collections.ts';
import { DIALECT_PATHS, DIALECTS, presentDialectError } from './dialects/dialects.ts';
import { UPLOAD_DOCUMENT_PATHS } from './documents.ts';
import { fileRoutes, type SendOptions } from './files.ts';
import { DOWNLOAD_LIMITS, limitDownloads, limitUploads } from './limit-concurrency.ts';
import { limitRate, RESUME_LIMIT, setRateHeaders } from './limit-rate.ts';
import { createLocales, type Locales } from './locale.ts';
import { NAMED_PATH, receivePut, refuseEarlyPut, requireName } from './receive-put.ts';
import { receiveUpload, refuseEarly } from './receive-upload.ts';
import { reportRoutes } from './report-file.ts';
import { requireToken } from './require-token.ts';
import {
  ignoreSlash,
  overrideMethod,
  RESUMABLE_PATH,
  requireVersion,
  resumableProtocol,
} from './resumable/protocol.ts';
import { resumableRoutes } from './resumable/routes.ts';
import { uploadAddresses } from './upload-addresses.ts';

export interface UploadAppOptions extends SendOptions {
  uploads: Uploads;
  collections: Collections;
  resumable: ResumableUploads;
  limiter: Limiter;
  /** Counts the uploads under way. */
  slots: UploadLedger;
  moderation: Pick<Moderation, 'blocks'>;
  reportFile: ReportFile;
  /** Limits reports. Its window is an hour. */
  reportLimiter: Limiter;
  /** Limits the requests that follow the creation of a resumable upload. Its window is that of `RESUME_LIMIT`. */
  resumeLimiter: Limiter;
  documents: DocumentSource;
  /** Public origin. */
  url: string;
  /** Public origin of the listing, which has the description of both. */
  listingUrl: string;
  maxBytes: number;
  ttlMs: number;
  rateLimit: number;
  rateWindowMs: number;
  concurrency: number;
  /** Who may upload: one of these secrets is needed; none for everybody. */
  tokens: readonly string[];
  trustProxy: TrustProxy;
  lingering: Lingering;
  timeZone: string;
  /** Where the operator can be reached: pages name it. */
  contact: string | null;
  /** Whether the process has been told to stop: /readyz then answers 503, so that no proxy sends it more. */
  isStopping: () => boolean;
  /** Wall clock, ms since 1970. */
  now: () => number;
  report: Report;
  /** Absent when metrics are off. */
  countDocument?: CountDocument | undefined;
}

/** For the pages of files: one owner gets 50 a second at most, with errors, and others' uploads the rest of the time. */
const PAGE_PLACES = {
  total: 64,
  perOwner: 2,
  restMs: 40,
  maxWaitMs: 10_000,
  busy: 'too many pages are being made',
};

/** Creates the app at UPLOAD_URL, an origin of its own so that an uploaded file cannot act on the listing. */
export function createUploadApp(options: UploadAppOptions): RequestListener {
  const { limiter, listingUrl, timeZone, maxBytes, report } = options;
  const clientAddress = createClientAddress(options.trustProxy);
  const rate = { limiter, limit: options.rateLimit, windowMs: options.rateWindowMs };
  const addresses = uploadAddresses(options.url);
  const locales = createLocales(timeZone, options.contact, options.now);
  const takePlace = createPlaces(PAGE_PLACES);
  const inPlace = (ctx: Context, work: () => Promise<void>) => takePlace(ownerOf(ctx.ip), work);
  const shared = { ...options, addresses, formatTime: timeFormatter(timeZone), locales, inPlace };
  const files = fileRoutes(shared);
  const collected = collectionRoutes(shared);
  const reports = reportRoutes(shared);
  const resumable = resumableRoutes(shared);

  const router = new Router({ strict: true, sensitive: true });
  const limitConcurrency = limitUploads(options.slots, options.concurrency);
  const refuseSender = refuseBlocked(options.moderation.blocks, report);
  // Who may not upload hears that before anything else.
  const allowed = [setRateHeaders(rate), requireToken(options.tokens), refuseSender] as const;
  const limited = [limitConcurrency, limitRate(rate)] as const;
  router.post(DIALECT_PATHS, ...allowed, ...limited, refuseEarly(maxBytes), receiveUpload(shared));
  // A router of its own: it takes any path, which does not make the path known for other methods.
  const named = new Router({ strict: true, sensitive: true });
  named.put(NAMED_PATH, ...allowed, ...limited, refuseEarlyPut(maxBytes), receivePut(shared));
  const uploadPath = `${RESUMABLE_PATH}/:secret`;
  const limitResume = limitRate({ limiter: options.resumeLimiter, limit: RESUME_LIMIT.requests });
  router.post(RESUMABLE_PATH, ...allowed, requireVersion, ...limited, resumable.create);
  router.head(uploadPath, limitResume, requireVersion, resumable.showProgress);
  router.get(uploadPath, limitResume, resumable.showResult);
  router.patch(uploadPath, limitResume, refuseSender, requireVersion, limitConcurrency, resumable.patch);
  router.delete(uploadPath, limitResume, requireVersion, resumable.remove);
  router.post(COLLECTIONS_PATH, ...allowed, ...limited, collected.create);
  const limitDownloading = limitDownloads(DOWNLOAD_LIMITS);
  router.get(`${COLLECTIONS_PATH}/:id.zip`, limitDownloading, collected.sendArchive);
  router.get(`${COLLECTIONS_PATH}/:id`, inPlace, collected.show);
  router.get(UPLOAD_DOCUMENT_PATHS, documents(options.documents));
  router.get('/readyz', (ctx) => {
    if (options.isStopping())
      throw new AppError('overloaded', 'the service is stopping; try again in a moment');
    ctx.body = { status: true };
  });
  router.get(['/docs', '/openapi.json'], (ctx) => ctx.redirect(`${listingUrl}${ctx.path}${ctx.search}`));
  const bytesPaths = DIALECTS.flatMap(({ bytesPath = [] }) => bytesPath);
  router.get(['/f/:name', ...bytesPaths], limitDownloading, files.sendFile);
  router.get('/d/:id/:key', inPlace, files.askToDelete);
  router.post('/d/:id/:key', inPlace, files.deleteFile);
  router.delete('/d/:id/:key', files.deleteFile);
  router.get('/r/:id', inPlace, reports.showForm);
  router.post('/r/:id', reports.takeReport);
  router.get('/:id', inPlace, files.showFile);

  const hasDocument = (path: string) => options.documents.find(path, '', {}) !== undefined;
  const app = new Koa();
  // `errorBody` handles errors. Koa itself would only print those of broken connections.
  app.silent = true;
  app.use((ctx, next) => {
    ctx.request.ip = clientAddress(ctx.req);
    return next();
  });
  app.use(ignoreSlash);
  app.use(overrideMethod);
  app.use(defaultHeaders);
  app.use(lingeringClose(options.lingering, (ctx) => ownerOf(ctx.ip)));
  app.use(requestLog('uploads', report));
  app.use(errorBody(report, sendError(locales, formatSize(maxBytes)), explainFailure));
  app.use(cors(CORS));
  app.use(resumableProtocol(maxBytes));
  app.use(requireName);
  app.use(named.routes());
  app.use(allowedMethods(router, hasDocument, (path) => (NAMED_PATH.test(path) ? ['PUT'] : [])));
  app.use(router.routes());
  return withShortcuts(app.callback(), [documentShortcut(options.documents)], options.countDocument);
}

/** Sends errors in the form of the dialect, as pages, or as JSON. `max`: how large a file may be. */
function sendError(locales: Locales, max: string): SendError {
  return (ctx, message) => {
    if (ctx.state.answersText) return sendBody(ctx, `${message}\n`);
    const body = presentDialectError(ctx, message);
    if (body !== undefined) return sendBody(ctx, body);
    if (ctx.accepts('json', 'html') !== 'html') return sendJsonError(ctx, message);
    const { status } = ctx;
    const retryAfterSeconds = ctx.response.get('Retry-After');
    const page = { status, address: ownAddress(ctx), code: ctx.state.code, message, max, retryAfterSeconds };
    sendPage(ctx, (language) => renderUploadErrorPage(page, locales[language]));
  };
}

const CORS: CorsOptions = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  expose: ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Delete-Url', 'X-Url-Delete'],
  allowHeaders: '*, Authorization',
};

/** Refuses senders whose address is blocked, before their body is read. */
function refuseBlocked(blocks: () => Promise<BlockList>, report: Report): Middleware {
  return async (ctx, next) => {
    if (!(await blocks()).hasAddress(ctx.ip)) return next();
    report({ type: 'upload-blocked', by: 'address', address: ctx.ip });
    throw new AppError('blocked', 'uploads from your address are not accepted here');
  };
}

/** A disk that is read-only, broken or not there. A storage expects that a file is missing, but not its folder. */
const DISK_FAILURE =
  /^E(?:ROFS|ACCES|PERM|IO|NOENT|NOTDIR|ISDIR|LOOP|NODEV|NXIO|STALE|BUSY|REMOTEIO|NOLCK|MFILE|NFILE)$/u;

/** AppError `storage-down` for an error of the disk. Errors of connections, which have such codes too, do not count. */
function explainFailure(error: unknown): AppError {
  const isOfSystem = error instanceof Error && 'syscall' in error && error.syscall !== 'connect';
  return isOfSystem && DISK_FAILURE.test(errorCode(error) ?? '') ? storageDown(error) : internalError();
}
