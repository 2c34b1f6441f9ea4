import type { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/errors.ts';
import { formatSize, parseDuration } from '../../domain/units.ts';
import { renderUploadedPage } from '../../pages/file.ts';
import type { UPLOAD } from '../../publishing/schemas/answers.ts';
import type { Of } from '../../publishing/schemas/schema.ts';
import { receivedName, shownName } from '../../uploads/file-name.ts';
import type { Received, Staged, Uploads } from '../../uploads/receive.ts';
import type { UploadAddresses } from './addresses.ts';
import { readBoundary } from './boundary.ts';
import { enforceMinRate } from './min-upload-rate.ts';
import { readMultipart } from './multipart.ts';
import { sendPage, type Visitor } from './visitor.ts';

/** What a multipart body may have beside its file. */
const ENVELOPE_BYTES = 64 * 1024;

export interface UploadRouteOptions {
  uploads: Uploads;
  maxBytes: number;
  ttlMs: number;
  /** Slower senders are let go; judged over spans of `graceMs`. */
  minBytesPerSecond: number;
  graceMs: number;
  /** The public addresses of what was received. */
  addresses: UploadAddresses;
  /** `HH:mm:ss DD/MM/YYYY`. */
  formatTime: (ms: number) => string;
  visitorOf: (ctx: Context) => Visitor;
  ownerOf: (ctx: Context) => string;
  now: () => number;
}

/** Refuses what its headers already give away, before a byte of the body is read. */
export function refuseEarly(maxBytes: number): Middleware {
  return async (ctx, next) => {
    const type = ctx.get('Content-Type');
    if (!/^multipart\/form-data\s*(?:;|$)/iu.test(type)) {
      throw new AppError(
        'unsupported-media-type',
        'send multipart/form-data, with the file in the field "file"',
      );
    }
    if (readBoundary(type) === undefined)
      throw new AppError('invalid-request', 'the Content-Type must name one boundary, of 1 to 70 characters');
    if (Number(ctx.get('Content-Length')) > maxBytes + ENVELOPE_BYTES) {
      throw tooLarge(maxBytes);
    }
    return next();
  };
}

/** Receives one file: room is promised, the bytes are staged, and all is published once the request has ended. */
export function receiveUpload(options: UploadRouteOptions): Middleware {
  const { uploads, maxBytes, addresses } = options;

  return async (ctx) => {
    const asked = askedInQuery(ctx);
    const owner = options.ownerOf(ctx);
    const declared = ctx.get('Content-Length');
    const room = await uploads.reserve(owner, declared ? Number(declared) : undefined, ENVELOPE_BYTES);
    const broken = Promise.withResolvers<never>();
    const unwatch = enforceMinRate(ctx.req, options, (bytes) => {
      try {
        if (bytes > maxBytes + ENVELOPE_BYTES) throw tooLarge(maxBytes);
        room.grow(bytes - ENVELOPE_BYTES)?.catch(broken.reject);
      } catch (error) {
        broken.reject(error);
      }
    });
    try {
      if (ctx.get('Expect')) ctx.res.writeContinue();
      const stage = (stream: Readable) => uploads.stage(stream, owner, room);
      const { staged, fields, ...file } = await readMultipart(ctx, stage, broken.promise);
      const life = asked ?? (await readField(fields.expires, staged)) ?? options.ttlMs;
      const sent = { ...file, originalname: receivedName(file.originalname) };
      const received = await staged.publish(sent, options.now() + Math.min(life, options.ttlMs));
      const deletion = addresses.deletion(received.id, received.deleteKey);
      ctx.set('X-Delete-Url', deletion);
      ctx.vary('Accept');
      if (ctx.accepts('json', 'html') === 'html') sendUploadedPage(ctx, received, deletion, options);
      else ctx.body = presentUpload(received, options);
    } finally {
      unwatch();
      room.release();
    }
  };
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too-large', `the file is larger than ${formatSize(maxBytes)}`);
}

/** `?expires=1h` in ms; undefined where it is not given. */
function askedInQuery(ctx: Context): number | undefined {
  const asked = new URLSearchParams(ctx.querystring).getAll('expires');
  return asked.length === 0 ? undefined : readLife(asked.length === 1 ? asked[0] : undefined);
}

/** The same as a field of the form; when it cannot be read, nothing stays staged. */
async function readField(field: unknown, staged: Staged): Promise<number | undefined> {
  if (field === undefined || field === '') return undefined;
  try {
    return readLife(field);
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

function readLife(asked: unknown): number {
  const life = typeof asked === 'string' ? parseDuration(asked) : undefined;
  if (!life)
    throw new AppError('invalid-request', 'expires must be given once, as a duration such as 30m, 1h or 1d');
  return life;
}

/** What a form without JavaScript receives. */
function sendUploadedPage(
  ctx: Context,
  { id, description }: Received,
  deletion: string,
  { addresses, formatTime, visitorOf, now }: UploadRouteOptions,
): void {
  const { words, presentExpiry } = visitorOf(ctx);
  const { originalname, extension, expiresAt } = description;
  const page = renderUploadedPage(
    {
      name: shownName(originalname),
      page: addresses.page(id),
      direct: addresses.file(id, extension),
      deletion,
      expiry: presentExpiry(expiresAt, now(), formatTime(expiresAt)),
    },
    words,
  );
  sendPage(ctx, page, words);
}

function presentUpload(
  { id, description }: Received,
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
