import type { Context, Middleware } from 'koa';
import { AppError, invalidRequest } from '../../../domain/errors.ts';
import { cleanFileName } from '../../../domain/file-name.ts';
import type { Checksum } from '../../../uploads/resumable/receive-piece.ts';

/** The protocol is at https://tus.io/protocols/resumable-upload */
const VERSION = '1.0.0';
const EXTENSIONS = 'creation,creation-with-upload,termination,checksum,expiration';
const EXPOSE = 'Access-Control-Expose-Headers';
const OVERRIDES = ['HEAD', 'PATCH', 'DELETE'];

export const RESUMABLE_PATH = '/files';

/** Request headers that a page of another origin may send. They are named because not all browsers understand `*`. */
const REQUEST_HEADERS =
  '*, Authorization, Content-Type, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata, ' +
  'Upload-Checksum, X-HTTP-Method-Override, X-Requested-With, X-Request-ID';

/** Response headers that a page of another origin may read, beside those of the whole origin. */
const ANSWER_HEADERS =
  'Location, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, ' +
  'Upload-Offset, Upload-Length, Upload-Metadata, Upload-Expires';

/** Treats `/files/` as `/files`: some clients have the slash in their examples. */
export const ignoreSlash: Middleware = (ctx, next) => {
  if (ctx.path === `${RESUMABLE_PATH}/`) ctx.path = RESUMABLE_PATH;
  return next();
};

/** Takes the method from X-HTTP-Method-Override: some clients can send only POST. Has to come before anything that reads it. */
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

/** Content type of the bytes of an upload. */
export const OFFSET_STREAM = 'application/offset+octet-stream';
/** The algorithms of `Upload-Checksum`, with the lengths of their digests. */
const DIGEST_BYTES = { sha1: 20, sha256: 32 } as const;

const MAX_METADATA_LENGTH = 4_096;
const MAX_TYPE_LENGTH = 255;
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,14})$/u;
const METADATA_PAIR = /^(?<key>[!-+\--~]+)(?: (?<value>[A-Za-z0-9+/]*={0,2}))?$/u;

interface Metadata {
  /** The header as it was sent. */
  metadata: string;
  originalname: string;
  mimetype: string;
}

/** Parses `Upload-Length` or `Upload-Offset`. A header that was sent twice is not a number. */
export function parseCount(ctx: Context, name: 'Upload-Length' | 'Upload-Offset'): number {
  const text = ctx.get(name);
  if (WHOLE_NUMBER.test(text)) return Number(text);
  throw invalidRequest(`send ${name} once, as a whole number of bytes in decimal digits`);
}

/** Parses `Upload-Checksum`: `sha1` or `sha256`, a space, and the digest in Base64. Undefined when there is none. */
export function parseChecksum(ctx: Context): Checksum | undefined {
  const text = ctx.get('Upload-Checksum');
  if (text === '') return undefined;
  const [, algorithm, base64 = ''] = /^(sha1|sha256) ([A-Za-z0-9+/]+={0,2})$/u.exec(text) ?? [];
  const digest = Buffer.from(base64, 'base64');
  const isKnown = algorithm === 'sha1' || algorithm === 'sha256';
  if (isKnown && digest.length === DIGEST_BYTES[algorithm]) return { algorithm, digest };
  throw invalidRequest('Upload-Checksum must be sha1 or sha256, a space, and the digest in Base64');
}

/** Parses `Upload-Metadata`: `filename` and `filetype` are used, other keys are only repeated. */
export function parseMetadata(ctx: Context): Metadata {
  const metadata = ctx.get('Upload-Metadata');
  if (metadata.length > MAX_METADATA_LENGTH)
    throw invalidRequest(`Upload-Metadata may have up to ${MAX_METADATA_LENGTH} characters`);
  const pairs = metadata === '' ? [] : metadata.split(',').map(parsePair);
  const values = new Map(pairs);
  if (values.size < pairs.length) throw invalidRequest('Upload-Metadata must not name a key twice');
  const originalname = cleanFileName(values.get('filename') ?? '') || 'file';
  const filetype = values.get('filetype') ?? '';
  const isType = /^[!-~]+\/[!-~]+(?:;[ -~]*)?$/u.test(filetype) && filetype.length <= MAX_TYPE_LENGTH;
  return { metadata, originalname, mimetype: isType ? filetype : 'application/octet-stream' };
}

function parsePair(text: string): [key: string, value: string] {
  const { key, value = '' } = METADATA_PAIR.exec(text.trim())?.groups ?? {};
  if (key !== undefined) return [key, Buffer.from(value, 'base64').toString()];
  throw invalidRequest('Upload-Metadata must be pairs of a key and a value in Base64, separated by commas');
}
