import { createHash } from 'node:crypto';
import type { Context, Next } from 'koa';
import { generate } from 'lean-qr';
import { toSvgSource } from 'lean-qr/extras/svg';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../domain/errors.ts';
import { displayName } from '../../domain/file-name.ts';
import { decodeText } from '../../domain/text-encoding.ts';
import { formatSize, MINUTE_MS } from '../../domain/units.ts';
import { parseUploadId } from '../../domain/upload-id.ts';
import { renderDeletedPage, renderDeletePage, renderFilePage } from '../../pages/file.ts';
import type { Expiry } from '../../pages/formats.ts';
import type { Language } from '../../pages/i18n/translations.ts';
import { encodingOf, servedType } from '../../uploads/media-type.ts';
import type { StoredFile } from '../../uploads/storage.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import { chooseLanguage } from '../negotiate.ts';
import { sendPage } from '../page-documents.ts';
import { isNotModified } from '../preconditions.ts';
import { answerFile, presentContent, SECURITY_HEADERS } from './answer-file.ts';
import type { FileTraffic } from './file-traffic.ts';
import type { Locales } from './locale.ts';
import { measurePicture } from './measure-picture.ts';
import type { PresentUploadOptions } from './present-upload.ts';
import { sendBytes } from './send-bytes.ts';

export interface FileRoutesOptions extends PresentUploadOptions {
  uploads: Uploads;
  locales: Locales;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** How the bytes of files are sent. */
export interface SendOptions {
  /** Whether large files are sent by the object store. */
  offloads: boolean;
  /** Limits what is sent of one file; undefined for no limit. */
  fileTraffic: FileTraffic | undefined;
}

/** A smaller file costs less to send than to redirect to. */
const MIN_OFFLOAD_BYTES = 1024 * 1024;
const MAX_PRESIGNED_MS = 5 * MINUTE_MS;
const PAGE_CACHE_BYTES = 8 * 1024 ** 2;

interface RenderedPage {
  bytes: Buffer;
  etag: string;
}

/** The routes of stored files. Each throws AppError `expired` or `not-found` when there is no such file. */
export function fileRoutes(options: FileRoutesOptions & SendOptions) {
  const { uploads, addresses, locales, now, offloads, fileTraffic } = options;
  const pages = new LRUCache<string, RenderedPage>({
    maxSize: PAGE_CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
  });

  /** Sends the bytes of a file by its id, or by its name, which is the id with the extension. */
  async function sendFile(ctx: Context): Promise<void> {
    const { name = '', id = '' }: Record<string, string> = ctx.params;
    const [stem = '', ...rest] = name.split('.');
    const file = await uploads.find(id || stem);
    const { extension, size, expiresAt } = file.description;
    if (name && rest.join('.') !== extension)
      throw new AppError('not-found', 'there is no such file under this extension');
    ctx.set(SECURITY_HEADERS);
    const { status, headers, range } = answerFile(file.description, ctx.req, now());
    if (status === 416) {
      ctx.set(headers);
      const message = `the file has ${size} bytes, and none of them is in that range`;
      throw new AppError('range-not-satisfiable', message);
    }
    const sent = ctx.method === 'HEAD' ? undefined : range;
    if (sent) fileTraffic?.(id || stem, sent.end + 1 - sent.start);
    if (sent && offloads && file.presign && size >= MIN_OFFLOAD_BYTES) {
      const { 'Content-Type': type, 'Content-Disposition': disposition } = presentContent(file.description);
      const seconds = Math.ceil(Math.min(MAX_PRESIGNED_MS, expiresAt - now()) / 1_000);
      ctx.redirect(await file.presign({ type, disposition }, seconds));
      return void ctx.set('Cache-Control', 'no-store');
    }
    const bytes = sent && (await file.read(sent));
    ctx.respond = false;
    ctx.res.writeHead(status, headers);
    await sendBytes(ctx.res, bytes);
  }

  async function showFile(ctx: Context, next: Next): Promise<void> {
    const { id }: { id: string } = ctx.params;
    // Other paths, such as `/upload`, match this route as well.
    if (parseUploadId(id) === undefined) return next();
    const file = await uploads.find(id);
    const language = chooseLanguage(ctx.querystring, ctx.req.headers);
    const expiry = locales[language].presentExpiry(file.description.expiresAt);
    // What is shown of the time left changes; all else of a file never does.
    const key = `${language} ${id} ${expiry.shown.text}`;
    const page = pages.get(key) ?? (await renderPage(id, file, expiry, language));
    pages.set(key, page);
    const { bytes, etag } = page;
    sendPage(ctx, () => bytes);
    // The file may be removed before it expires, so a browser asks each time.
    ctx.set({ ETag: etag, 'Cache-Control': 'private, no-cache' });
    // The time left is part of the page, so its date says nothing. `ctx.fresh` never is for clients that use `fetch`.
    const conditions = { 'if-none-match': ctx.req.headers['if-none-match'] };
    const current = { changedAt: now(), variants: [{ etag }] };
    if (isNotModified(conditions, current)) ctx.status = 304;
  }

  async function renderPage(
    id: string,
    file: StoredFile,
    expiry: Expiry,
    language: Language,
  ): Promise<RenderedPage> {
    const { description } = file;
    const url = addresses.page(id);
    const page = renderFilePage(
      {
        name: displayName(description.originalname),
        size: formatSize(description.size),
        mediaType: description.mediaType,
        sentAs: description.mimetype,
        servedType: servedType(description.mediaType),
        expiry,
        sha256: description.sha256,
        file: new URL(addresses.file(id, description.extension)).pathname,
        report: `${addresses.report(id)}?lang=${language}`,
        url,
        qrCode: toSvgSource(generate(url), { on: 'black', padX: 2, padY: 2 }),
        picture: await measurePicture(file),
        text: await readPreview(file),
      },
      locales[language],
    );
    const bytes = Buffer.from(page);
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
  }

  async function askToDelete(ctx: Context): Promise<void> {
    const { id, key }: { id: string; key: string } = ctx.params;
    const { description } = await uploads.findForDeletion(id, key);
    const name = displayName(description.originalname);
    sendPage(ctx, (language) => renderDeletePage(name, locales[language]));
  }

  /** Deletes by DELETE, or by POST, because a form cannot send that. A form gets a page. */
  async function deleteFile(ctx: Context): Promise<void> {
    const { id, key }: { id: string; key: string } = ctx.params;
    await uploads.remove(id, key);
    if (ctx.method === 'POST') sendPage(ctx, (language) => renderDeletedPage(locales[language]));
    else ctx.status = 204;
  }

  return { sendFile, showFile, askToDelete, deleteFile };
}

/** How much of a text file its page shows. */
const PREVIEW_BYTES = 64 * 1024;

/** Reads the beginning of a text file and decodes it. Undefined for an empty file and for other types. */
async function readPreview({ description, read }: StoredFile) {
  const { mediaType, size } = description;
  const encoding = encodingOf(mediaType);
  if (encoding === undefined || size === 0) return undefined;
  const bytes = await read({ start: 0, end: Math.min(size, PREVIEW_BYTES) - 1 });
  const goesOn = size > PREVIEW_BYTES;
  const beginning = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.concat(await Array.fromAsync(bytes, (chunk) => Buffer.from(chunk)));
  return { beginning: decodeText(beginning, encoding, goesOn), goesOn };
}
