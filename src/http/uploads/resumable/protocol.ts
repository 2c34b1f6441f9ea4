import type { Context, Middleware } from 'koa';
import { AppError } from '../../../domain/errors.ts';
import { DIGEST_BYTES } from './headers.ts';

/** The protocol is at https://tus.io/protocols/resumable-upload */
const VERSION = '1.0.0';
const EXTENSIONS = 'creation,creation-with-upload,termination,checksum,expiration';
const OVERRIDES = ['HEAD', 'PATCH', 'DELETE'];

export const RESUMABLE_PATH = '/files';

/** Headers of requests that a page of another origin may send: not all browsers take a star for them. */
export const RESUMABLE_REQUEST_HEADERS = [
  ...[
    'Content-Type',
    'Tus-Resumable',
    'Upload-Length',
    'Upload-Offset',
    'Upload-Metadata',
    'Upload-Checksum',
  ],
  ...['X-HTTP-Method-Override', 'X-Requested-With', 'X-Request-ID'],
];

/** Headers of answers that a page of another origin may read. */
export const RESUMABLE_ANSWER_HEADERS = [
  ...['Location', 'Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size', 'Tus-Checksum-Algorithm'],
  ...['Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Upload-Expires'],
];

/**
 * Speaks the protocol below `/files`: sets the headers of every answer and refuses other versions. It belongs before
 * everything that reads the method of a request, as some clients can send only POST.
 */
export function resumableProtocol(maxBytes: number): Middleware {
  const description = {
    'Tus-Version': VERSION,
    'Tus-Extension': EXTENSIONS,
    'Tus-Max-Size': String(maxBytes),
    'Tus-Checksum-Algorithm': Object.keys(DIGEST_BYTES).join(','),
  };
  return (ctx, next) => {
    if (!isResumable(ctx)) return next();
    const override = ctx.get('X-HTTP-Method-Override').toUpperCase();
    if (ctx.method === 'POST' && OVERRIDES.includes(override)) ctx.method = override;
    ctx.set('Tus-Resumable', VERSION);
    // Browsers repeat a request by themselves when a kept connection breaks: all of its bytes, from an offset that is no
    // longer right. So each request below this path gets a connection of its own.
    ctx.set('Connection', 'close');
    if (ctx.method === 'OPTIONS') ctx.set(description);
    return next();
  };
}

/** Throws AppError `precondition-failed` for another version. GET is for those who do not speak the protocol. */
export const requireVersion: Middleware = (ctx, next) => {
  if (ctx.get('Tus-Resumable') === VERSION) return next();
  ctx.set('Tus-Version', VERSION);
  throw new AppError(
    'precondition-failed',
    `send Tus-Resumable: ${VERSION}; no other version is spoken here`,
  );
};

function isResumable({ path }: Context): boolean {
  return path === RESUMABLE_PATH || path.startsWith(`${RESUMABLE_PATH}/`);
}
