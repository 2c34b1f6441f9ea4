import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import { formatSize, parseDuration } from '../../domain/units.ts';
import type { UPLOAD } from '../../publishing/schemas/answers.ts';
import type { Of } from '../../publishing/schemas/schema.ts';
import { cleanFileName } from '../../uploads/file-name.ts';
import type { ReceivedUpload } from '../../uploads/receive.ts';
import { fileTooLarge } from '../../uploads/storage.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import type { UploadAddresses } from './addresses.ts';
import { parseBoundary } from './feed-parser.ts';
import { enforceMinRate, type UploadRateLimits } from './min-upload-rate.ts';
import { readMultipart } from './multipart.ts';

/** The most that a multipart body may contain beside its file. */
const ENVELOPE_BYTES = 64 * 1024;

interface UploadRouteOptions extends UploadRateLimits {
  uploads: Uploads;
  maxBytes: number;
  /** The default and the longest lifetime of a file. */
  ttlMs: number;
  /** Public addresses of the received file. */
  addresses: UploadAddresses;
  /** `HH:mm:ss DD/MM/YYYY`. */
  formatTime: (ms: number) => string;
  ownerOf: (ctx: Context) => string;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Refuses a request that its headers show to be invalid, before the body is read. */
export function refuseEarly(maxBytes: number): Middleware {
  return async (ctx, next) => {
    const type = ctx.get('Content-Type');
    if (!/^multipart\/form-data\s*(?:;|$)/iu.test(type)) {
      throw new AppError(
        'unsupported-media-type',
        'send multipart/form-data, with the file in the field "file"',
      );
    }
    if (parseBoundary(type) === undefined)
      throw new AppError('invalid-request', 'the Content-Type must name one boundary, of 1 to 70 characters');
    if (Number(ctx.get('Content-Length')) > maxBytes + ENVELOPE_BYTES) throw fileTooLarge(maxBytes);
    return next();
  };
}

/** Receives one file: stages it while it arrives, and publishes it once the request has ended. */
export function receiveUpload(options: UploadRouteOptions): Middleware {
  const { uploads, maxBytes, addresses } = options;

  return async (ctx) => {
    const lifetimeMs = parseLifetime(ctx, options.ttlMs);
    const declared = ctx.get('Content-Length');
    const declaredBytes = declared ? Number(declared) : undefined;
    const upload = await uploads.receive(options.ownerOf(ctx), declaredBytes, ENVELOPE_BYTES);
    const aborted = Promise.withResolvers<never>();
    const stopWatching = enforceMinRate(ctx.req, options, (arrivedBytes) => {
      try {
        if (arrivedBytes > maxBytes + ENVELOPE_BYTES) throw fileTooLarge(maxBytes);
        upload.reserve(arrivedBytes - ENVELOPE_BYTES)?.catch(aborted.reject);
      } catch (error) {
        aborted.reject(error);
      }
    });
    try {
      if (ctx.get('Expect')) ctx.res.writeContinue();
      const claims = await readMultipart(ctx, upload.stage, aborted.promise);
      const originalname = cleanFileName(claims.originalname);
      const received = await upload.publish({ ...claims, originalname }, options.now() + lifetimeMs);
      ctx.set('X-Delete-Url', addresses.deletion(received.id, received.deleteKey));
      ctx.body = presentUpload(received, options);
    } finally {
      stopWatching();
      await upload.close();
    }
  };
}

/** Parses `?expires=1h`; at most `ttlMs`. */
function parseLifetime(ctx: Context, ttlMs: number): number {
  const requested = new URLSearchParams(ctx.querystring).getAll('expires');
  if (requested.length === 0) return ttlMs;
  const lifetimeMs = requested.length === 1 ? parseDuration(requested[0] ?? '') : undefined;
  if (!lifetimeMs)
    throw new AppError('invalid-request', 'expires must be given once, as a duration such as 30m, 1h or 1d');
  return Math.min(lifetimeMs, ttlMs);
}

function presentUpload(
  { id, description }: ReceivedUpload,
  { addresses, formatTime }: UploadRouteOptions,
): Of<typeof UPLOAD> {
  const { originalname, encoding, mimetype, size, expiresAt, extension } = description;
  const result = {
    originalname,
    encoding,
    mimetype,
    filesize: formatSize(size),
    expired: expiresAt,
    expiredFmt: formatTime(expiresAt),
    url: addresses.page(id),
    url_file: addresses.file(id, extension),
  };
  return { status: true, result };
}
