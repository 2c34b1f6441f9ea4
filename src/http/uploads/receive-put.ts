import type { Context, Middleware } from 'koa';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { cleanFileName } from '../../domain/file-name.ts';
import { DAY_MS } from '../../domain/units.ts';
import { fileTooLarge } from '../../uploads/storage.ts';
import { sendBody } from '../middleware/error-body.ts';
import { readBody, refuseEncodedBody } from '../request-body.ts';
import { parseQueryLifetime, senderOf, type UploadRouteOptions } from './receive-upload.ts';

/*
 * PUT /{name}, in the way of transfer.sh (https://github.com/dutchcoders/transfer.sh): the body is the file.
 */

/** The name of a file that is sent to the root. */
const UNNAMED = 'upload';
const MAX_TYPE_LENGTH = 255;

/** Refuses a request with invalid headers before its body is read. The size comes last: mistakes in the request matter more. */
export function refuseEarlyPut(maxBytes: number): Middleware {
  return async (ctx, next) => {
    refuseEncodedBody(ctx);
    if (ctx.get('Content-Range') !== '')
      throw invalidRequest('send the whole file, without Content-Range; /files takes files in pieces');
    parseName(ctx);
    parsePutLifetime(ctx);
    if (Number(ctx.get('Content-Length')) > maxBytes) throw fileTooLarge(maxBytes);
    return next();
  };
}

/** Receives the body of a request as a file, of known or unknown length, and answers the URL of its bytes as text. */
export function receivePut(options: UploadRouteOptions): Middleware {
  const { uploads, ttlMs, addresses } = options;

  return async (ctx) => {
    const lifetimeMs = Math.min(parsePutLifetime(ctx) ?? ttlMs, ttlMs);
    const declared = ctx.get('Content-Length');
    const reception = await uploads.receive(senderOf(ctx), declared ? Number(declared) : undefined);
    try {
      await reception.stage(reserving(readBody(ctx), reception.reserve));
      const claims = { originalname: parseName(ctx), encoding: 'binary', mimetype: typeOf(ctx) };
      const { id, description, deleteKey } = await reception.publish(claims, lifetimeMs);
      const deletion = addresses.deletion(id, deleteKey);
      ctx.set({ 'X-Delete-Url': deletion, 'X-Url-Delete': deletion });
      sendBody(ctx, `${addresses.file(id, description.extension)}\n`);
    } finally {
      await reception.close();
    }
  };
}

/** Yields a body as space for it is reserved. */
async function* reserving(
  body: AsyncIterable<Buffer>,
  reserve: (arrivedBytes: number) => Promise<void> | undefined,
): AsyncGenerator<Buffer, void> {
  let arrivedBytes = 0;
  for await (const chunk of body) {
    arrivedBytes += chunk.length;
    await reserve(arrivedBytes);
    yield chunk;
  }
}

/** The last segment of the path. Throws AppError `invalid-request` for one that cannot be decoded. */
function parseName({ path }: Context): string {
  const segment = path.slice(path.lastIndexOf('/') + 1);
  try {
    return cleanFileName(decodeURIComponent(segment)) || UNNAMED;
  } catch {
    throw invalidRequest('the name in the path has a broken %; write a % itself as %25');
  }
}

/** As it was sent, and not trusted. */
function typeOf(ctx: Context): string {
  const type = ctx.get('Content-Type');
  const isType = /^[!-~]+\/[!-~]+(?:;[ -~]*)?$/u.test(type) && type.length <= MAX_TYPE_LENGTH;
  return isType ? type : 'application/octet-stream';
}

/** The shortest lifetime that the sender chose, ms; undefined for none. Throws AppError `invalid-request`. */
function parsePutLifetime(ctx: Context): number | undefined {
  if (ctx.headers['max-downloads'] !== undefined)
    throw invalidRequest('downloads are not counted here; leave out Max-Downloads');
  const chosen = [parseQueryLifetime(ctx), parseMaxDays(ctx)].filter((ms) => ms !== undefined);
  return chosen.length === 0 ? undefined : Math.min(...chosen);
}

function parseMaxDays({ headers }: Context): number | undefined {
  const days = headers['max-days'];
  if (days === undefined) return undefined;
  if (typeof days === 'string' && /^\d+$/u.test(days) && Number(days) >= 1) return Number(days) * DAY_MS;
  throw invalidRequest('Max-Days must be a whole number of days, 1 or more');
}

/** Every path is a name but those where a file that was sent there would not be found. */
export const NAMED_PATH = /^\/(?!(?:f|d|r|c|files)\/|files$)/u;

/** Answers 405 to PUT at any other path. Errors at a name are text, as the answers there are. */
export const requireName: Middleware = async (ctx, next) => {
  if (ctx.method !== 'PUT') return next();
  ctx.state.answersText = NAMED_PATH.test(ctx.path);
  await next();
  if (ctx.status !== 404 || ctx.body != null) return;
  ctx.set('Allow', 'GET, HEAD, OPTIONS');
  const message = 'PUT is not allowed here; send a file to /NAME, such as /photo.jpg';
  throw new AppError('method-not-allowed', message);
};
