import type { Context, Middleware } from 'koa';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { cleanFileName, displayName } from '../../domain/file-name.ts';
import { ownerOf } from '../../network/address-buckets.ts';
import { renderUploadedPage } from '../../pages/file.ts';
import type { ReceivedUpload, Sender, SenderClaims } from '../../uploads/publish.ts';
import { fileTooLarge } from '../../uploads/storage.ts';
import type { Reception, Uploads } from '../../uploads/uploads.ts';
import { sendBody } from '../middleware/error-body.ts';
import { sendPage } from '../page-documents.ts';
import { refuseEncodedBody } from '../request-body.ts';
import { type Dialect, parseLifetime } from './dialects/dialect.ts';
import { chooseDialect, dialectOf, fileFieldsOf } from './dialects/dialects.ts';
import type { FileRoutesOptions } from './files.ts';
import { parseBoundary, readMultipart, type Stage } from './multipart.ts';

/** How many bytes a multipart body may contain beside its files. */
const ENVELOPE_BYTES = 64 * 1024;

export interface UploadRouteOptions extends FileRoutesOptions {
  maxBytes: number;
  /** The default and the longest lifetime of a file. */
  ttlMs: number;
}

export function senderOf({ ip: address }: Context): Sender {
  return { owner: ownerOf(address), address };
}

/** Refuses a request with invalid headers before its body is read. The size comes last: mistakes in the request matter more. */
export function refuseEarly(maxBytes: number): Middleware {
  return async (ctx, next) => {
    const type = ctx.get('Content-Type');
    if (!/^multipart\/form-data\s*(?:;|$)/iu.test(type)) {
      const message = `send multipart/form-data, with the file in the field "${dialectOf(ctx)?.field}"`;
      throw new AppError('unsupported-media-type', message);
    }
    refuseEncodedBody(ctx);
    if (parseBoundary(type) === undefined)
      throw invalidRequest('the Content-Type must name one boundary, of 1 to 70 characters');
    parseQueryLifetime(ctx);
    if (Number(ctx.get('Content-Length')) > maxBytes + ENVELOPE_BYTES) throw fileTooLarge(maxBytes);
    return next();
  };
}

/** The lifetime in the address, ms; undefined where the sender chose none there. Throws AppError `invalid-request`. */
export function parseQueryLifetime(ctx: Context): number | undefined {
  return parseLifetime(new URLSearchParams(ctx.querystring).getAll('expires'));
}

/**
 * Receives the files of a request in the dialect that it speaks: stages them while they arrive, and publishes them once
 * the request has ended. All of them together may be as large as one file.
 */
export function receiveUpload(options: UploadRouteOptions): Middleware {
  const { uploads, maxBytes, ttlMs, addresses } = options;

  return async (ctx) => {
    const query = new URLSearchParams(ctx.querystring);
    const queryLifetimeMs = parseQueryLifetime(ctx);
    const declared = ctx.get('Content-Length');
    const declaredBytes = declared ? Number(declared) : undefined;
    const received = await uploads.receive(senderOf(ctx), declaredBytes, ENVELOPE_BYTES);
    let announced = 0;
    const stage: Stage = async (stream, field) => {
      chooseDialect(ctx, field, announced++);
      return received.stage(stream);
    };
    const reserve = (arrivedBytes: number) => {
      if (arrivedBytes > maxBytes + ENVELOPE_BYTES) throw fileTooLarge(maxBytes);
      return received.reserve(arrivedBytes);
    };
    try {
      const { files, fields } = await readMultipart(ctx, stage, reserve, fileFieldsOf(ctx));
      const dialect = dialectOf(ctx) as Dialect;
      const formLifetimeMs = dialect.parseLifetime({ fields, query });
      const lifetimeMs = Math.min(queryLifetimeMs ?? formLifetimeMs ?? ttlMs, ttlMs);
      const claims = files.map(({ originalname, encoding, mimetype }) => ({
        originalname: cleanFileName(originalname),
        encoding,
        mimetype,
      }));
      const published = await publishAll(uploads, received.publish, claims, lifetimeMs);
      const deletions = published.map(({ id, deleteKey }) => addresses.deletion(id, deleteKey));
      ctx.set('X-Delete-Url', deletions);
      ctx.vary('Accept');
      if (dialect.hasPages && ctx.accepts('json', 'html') === 'html')
        sendUploadedPage(ctx, published[0]!, deletions[0]!, options);
      else sendBody(ctx, dialect.presentUploads(published, options, query));
    } finally {
      await received.close();
    }
  };
}

/** Sends the page that a form without JavaScript receives. */
function sendUploadedPage(
  ctx: Context,
  { id, description }: ReceivedUpload,
  deletion: string,
  { addresses, locales }: UploadRouteOptions,
): void {
  const { originalname, extension, expiresAt } = description;
  const name = displayName(originalname);
  const links = { page: addresses.page(id), direct: addresses.file(id, extension), deletion };
  sendPage(ctx, (language) => {
    const locale = locales[language];
    return renderUploadedPage({ name, ...links, expiry: locale.presentExpiry(expiresAt) }, locale);
  });
}

/** Publishes the files in the order in which they were staged. A failure removes those that are published already. */
async function publishAll(
  uploads: Uploads,
  publish: Reception['publish'],
  claims: readonly SenderClaims[],
  lifetimeMs: number,
): Promise<ReceivedUpload[]> {
  const published: ReceivedUpload[] = [];
  try {
    for (const claim of claims) published.push(await publish(claim, lifetimeMs));
    return published;
  } catch (error) {
    // What cannot be removed expires; nobody knows its address.
    await Promise.allSettled(published.map(({ id, deleteKey }) => uploads.remove(id, deleteKey)));
    throw error;
  }
}
