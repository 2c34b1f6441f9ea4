import type { Context, Middleware } from 'koa';
import { AppError } from '../../../domain/errors.ts';
import { DIGEST_BYTES } from './headers.ts';

/** The protocol is at https://tus.io/protocols/resumable-upload */
const VERSION = '1.0.0';
const EXTENSIONS = 'creation,creation-with-upload,termination,checksum,expiration';
const EXPOSE = 'Access-Control-Expose-Headers';
const OVERRIDES = ['HEAD', 'PATCH', 'DELETE'];

export const RESUMABLE_PATH = '/files';

/** Request headers that a page of another origin may send. They are named because not all browsers understand `*`. */
const REQUEST_HEADERS =
  '*, Content-Type, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, ' +
  'Upload-Checksum, X-HTTP-Method-Override, X-Requested-With, X-Request-ID';

/** Response headers that a page of another origin may read, beside those of the whole origin. */
const ANSWER_HEADERS =
  'Location, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, ' +
  'Upload-Offset, Upload-Length, Upload-Metadata, Upload-Expires';

/** Takes the method from X-HTTP-Method-Override: some clients can send only POST. It has to be the first middleware. */
export const overrideMethod: Middleware = (ctx, next) => {
  const override = ctx.get('X-HTTP-Method-Override').toUpperCase();
  if (isResumable(ctx) && ctx.method === 'POST' && OVERRIDES.includes(override)) ctx.method = override;
  return next();
};

/** Sets the headers of every answer below `/files`. It has to follow `cors`, whose headers it extends. */
export function resumableProtocol(maxBytes: number): Middleware {
  const description = {
    'Tus-Version': VERSION,
    'Tus-Extension': EXTENSIONS,
    'Tus-Max-Size': String(maxBytes),
    'Tus-Checksum-Algorithm': Object.keys(DIGEST_BYTES).join(','),
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
  };
  return (ctx, next) => {
    if (!isResumable(ctx)) return next();
    ctx.set('Tus-Resumable', VERSION);
    ctx.set(EXPOSE, `${ctx.response.get(EXPOSE)}, ${ANSWER_HEADERS}`);
    // A browser sends a request again, with all of its bytes, when a kept-alive connection breaks; the offset would then be
    // wrong. So each request below this path gets a connection of its own.
    ctx.res.shouldKeepAlive = false;
    if (ctx.method === 'OPTIONS') ctx.set(description);
    return next();
  };
}

/** Throws AppError `precondition-failed` for another version. GET is for clients without the protocol, so it does not use this. */
export const requireVersion: Middleware = (ctx, next) => {
  if (ctx.get('Tus-Resumable') === VERSION) return next();
  ctx.set('Tus-Version', VERSION);
  throw new AppError('precondition-failed', `send Tus-Resumable: ${VERSION}; no other version is supported`);
};

function isResumable({ path }: Context): boolean {
  return path === RESUMABLE_PATH || path.startsWith(`${RESUMABLE_PATH}/`);
}
