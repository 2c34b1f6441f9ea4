import type { Context } from 'koa';
import { AppError, invalidRequest } from '../../../domain/errors.ts';
import { expiryOf, parseUploadId, type UploadId } from '../../../domain/upload-id.ts';
import { noSuchUpload } from '../../../uploads/resumable/access.ts';
import { beyondLength, type Checksum } from '../../../uploads/resumable/receive-piece.ts';
import type { ResumableUploads } from '../../../uploads/resumable/resumable-uploads.ts';
import { readBody, refuseEncodedBody } from '../../request-body.ts';
import { type PresentUploadOptions, presentUpload } from '../present-upload.ts';
import { parseQueryLifetime, senderOf } from '../receive-upload.ts';
import { OFFSET_STREAM, parseChecksum, parseCount, parseMetadata } from './protocol.ts';

interface ResumableRoutesOptions extends PresentUploadOptions {
  resumable: ResumableUploads;
  /** The default and the longest lifetime of a file. */
  ttlMs: number;
}

/** The routes of resumable uploads. All but `create` have the secret in the address of the upload as a parameter. */
export function resumableRoutes(options: ResumableRoutesOptions) {
  const { resumable, addresses, ttlMs } = options;

  async function create(ctx: Context): Promise<void> {
    const hasBody = Number(ctx.get('Content-Length')) > 0 || ctx.get('Transfer-Encoding') !== '';
    if (hasBody) requireOffsetStream(ctx);
    refuseExtensions(ctx);
    const length = parseCount(ctx, 'Upload-Length');
    const checksum = parseChecksum(ctx);
    const lifetimeMs = parseQueryLifetime(ctx) ?? ttlMs;
    const announced = { ...parseMetadata(ctx), length, lifetimeMs: Math.min(lifetimeMs, ttlMs) };
    if (Number(ctx.get('Content-Length')) > length) throw beyondLength(length);
    const secret = await resumable.create({ ...announced, ...senderOf(ctx) });
    ctx.set('Location', addresses.resumable(secret));
    setExpiry(ctx, secret);
    if (hasBody || length === 0) await append(ctx, secret, 0, checksum);
    ctx.status = 201;
    ctx.body = { status: true };
  }

  async function patch(ctx: Context): Promise<void> {
    const secret = secretOf(ctx);
    requireOffsetStream(ctx);
    const offset = parseCount(ctx, 'Upload-Offset');
    await append(ctx, secret, offset, parseChecksum(ctx));
    setExpiry(ctx, secret);
    ctx.status = 204;
  }

  /** Appends the body of a request. */
  async function append(ctx: Context, secret: UploadId, offset: number, checksum: Checksum | undefined) {
    const length = ctx.get('Content-Length');
    const declaredBytes = length ? Number(length) : undefined;
    const body = (signal: AbortSignal) => readBody(ctx, signal);
    const next = await resumable.append(secret, offset, body, checksum, declaredBytes);
    ctx.set('Upload-Offset', String(next));
  }

  async function showProgress(ctx: Context): Promise<void> {
    const secret = secretOf(ctx);
    const { offset, length, metadata } = await resumable.progress(secret);
    ctx.set({ 'Upload-Offset': String(offset), 'Upload-Length': String(length) });
    if (metadata) ctx.set('Upload-Metadata', metadata);
    setExpiry(ctx, secret);
    ctx.body = '';
    ctx.remove('Content-Type');
  }

  async function showResult(ctx: Context): Promise<void> {
    const received = await resumable.result(secretOf(ctx));
    ctx.set('X-Delete-Url', addresses.deletion(received.id, received.deleteKey));
    ctx.body = presentUpload(received, options);
  }

  async function remove(ctx: Context): Promise<void> {
    await resumable.remove(secretOf(ctx));
    ctx.status = 204;
  }

  return { create, patch, showProgress, showResult, remove };
}

/** The part of the address that identifies an upload. Throws AppError `not-found` when it is malformed. */
function secretOf(ctx: Context): UploadId {
  const { secret }: { secret: string } = ctx.params;
  const id = parseUploadId(secret);
  if (id === undefined) throw noSuchUpload();
  return id;
}

/** Sets `Upload-Expires`, the time until which an incomplete upload can be continued. */
function setExpiry(ctx: Context, secret: UploadId): void {
  ctx.set('Upload-Expires', new Date(expiryOf(secret)).toUTCString());
}

/** Throws AppError `unsupported-media-type` unless the body is declared to be the plain bytes of a file. */
function requireOffsetStream(ctx: Context): void {
  if (ctx.get('Content-Type') !== OFFSET_STREAM)
    throw new AppError('unsupported-media-type', `send the bytes of the file as ${OFFSET_STREAM}`);
  refuseEncodedBody(ctx);
}

function refuseExtensions(ctx: Context): void {
  if (ctx.get('Upload-Defer-Length'))
    throw invalidRequest('Upload-Defer-Length is not supported; send Upload-Length');
  if (ctx.get('Upload-Concat'))
    throw invalidRequest('Upload-Concat is not supported; send the file as one upload');
}
