import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import { renderUploadedPage } from '../../pages/file.ts';
import { cleanFileName, displayName } from '../../uploads/file-name.ts';
import type { ReceivedUpload, Sender } from '../../uploads/publish.ts';
import { fileTooLarge } from '../../uploads/storage.ts';
import type { FileRoutesOptions } from './files.ts';
import { parseLifetime } from './lifetime.ts';
import { sendPage } from './locale.ts';
import { enforceMinRate, type UploadRateLimits } from './min-upload-rate.ts';
import { readMultipart } from './multipart.ts';
import { parseBoundary } from './parser-input.ts';
import { presentUpload } from './present-upload.ts';

/** How many bytes a multipart body may contain beside its file. */
const ENVELOPE_BYTES = 64 * 1024;

interface UploadRouteOptions extends FileRoutesOptions, UploadRateLimits {
  maxBytes: number;
  /** The default and the longest lifetime of a file. */
  ttlMs: number;
  senderOf: (ctx: Context) => Sender;
}

/** Refuses a request with invalid headers before its body is read. */
export function refuseEarly(maxBytes: number): Middleware {
  return async (ctx, next) => {
    const type = ctx.get('Content-Type');
    if (!/^multipart\/form-data\s*(?:;|$)/iu.test(type)) {
      const message = 'send multipart/form-data, with the file in the field "file"';
      throw new AppError('unsupported-media-type', message);
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
    const queryLifetimeMs = parseLifetime(new URLSearchParams(ctx.querystring).getAll('expires'));
    const declared = ctx.get('Content-Length');
    const declaredBytes = declared ? Number(declared) : undefined;
    const upload = await uploads.receive(options.senderOf(ctx), declaredBytes, ENVELOPE_BYTES);
    const aborted = Promise.withResolvers<never>();
    const stopWatching = enforceMinRate(ctx.req, options, (arrivedBytes) => {
      try {
        if (arrivedBytes > maxBytes + ENVELOPE_BYTES) throw fileTooLarge(maxBytes);
        upload.reserve(arrivedBytes)?.catch(aborted.reject);
      } catch (error) {
        aborted.reject(error);
      }
    });
    try {
      if (ctx.get('Expect')) ctx.res.writeContinue();
      const { fields, ...claims } = await readMultipart(ctx, upload.stage, aborted.promise);
      const lifetimeMs = queryLifetimeMs ?? parseLifetime(fieldValues(fields.expires)) ?? options.ttlMs;
      const originalname = cleanFileName(claims.originalname);
      const expiresAt = options.now() + Math.min(lifetimeMs, options.ttlMs);
      const received = await upload.publish({ ...claims, originalname }, expiresAt);
      const deletion = addresses.deletion(received.id, received.deleteKey);
      ctx.set('X-Delete-Url', deletion);
      ctx.vary('Accept');
      if (ctx.accepts('json', 'html') === 'html') sendUploadedPage(ctx, received, deletion, options);
      else ctx.body = presentUpload(received, options);
    } finally {
      stopWatching();
      await upload.close();
    }
  };
}

/** The values of a field of the form; a field that was left empty has none. */
function fieldValues(field: unknown): unknown[] {
  return [field].flat().filter((value) => value !== undefined && value !== '');
}

/** Sends the page that a form without JavaScript receives. */
function sendUploadedPage(
  ctx: Context,
  { id, description }: ReceivedUpload,
  deletion: string,
  { addresses, formatTime, localeOf, now }: UploadRouteOptions,
): void {
  const { texts, presentExpiry } = localeOf(ctx);
  const { originalname, extension, expiresAt } = description;
  const page = renderUploadedPage(
    {
      name: displayName(originalname),
      page: addresses.page(id),
      direct: addresses.file(id, extension),
      deletion,
      expiry: presentExpiry(expiresAt, now(), formatTime(expiresAt)),
    },
    texts,
  );
  sendPage(ctx, page, texts);
}
