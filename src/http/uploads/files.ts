import type { Context, Next } from 'koa';
import { generate } from 'lean-qr';
import { toSvgSource } from 'lean-qr/extras/svg';
import { AppError } from '../../domain/errors.ts';
import { formatSize } from '../../domain/units.ts';
import { expiryOf } from '../../domain/upload.ts';
import { renderDeletedPage, renderDeletePage, renderFilePage } from '../../pages/file.ts';
import { PAGE_POLICY } from '../../pages/layout.ts';
import { displayName } from '../../uploads/file-name.ts';
import { TEXT } from '../../uploads/media-type.ts';
import type { Chunks, StoredFile } from '../../uploads/storage.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import { PRECONDITION_FAILED } from '../answer.ts';
import type { UploadAddresses } from './addresses.ts';
import { answerFile } from './answer-file.ts';
import { createPageCache } from './page-cache.ts';
import { sendBytes } from './send-bytes.ts';

/** The most of a text that its page contains. */
const PREVIEW_BYTES = 64 * 1024;

interface FileRoutesOptions {
  uploads: Uploads;
  addresses: UploadAddresses;
  /** `HH:mm:ss DD/MM/YYYY`. */
  formatTime: (ms: number) => string;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** The routes of stored files. Each throws AppError `expired` or `not-found` when there is no such file. */
export function fileRoutes({ uploads, addresses, formatTime, now }: FileRoutesOptions) {
  const pages = createPageCache();

  async function sendFile(ctx: Context): Promise<void> {
    const [id = '', ...rest] = String(ctx.params.name).split('.');
    const file = await uploads.find(id);
    const { extension } = file.description;
    if (rest.join('.') !== extension)
      throw new AppError('not-found', 'there is no such file under this extension');
    const { status, headers, range } = answerFile(file.description, ctx.req.headers, {
      now: now(),
      method: ctx.method,
    });
    if (status === 412) {
      ctx.set(headers);
      throw new AppError('precondition-failed', PRECONDITION_FAILED);
    }
    if (status === 416) {
      ctx.set(headers);
      throw new AppError(
        'range-not-satisfiable',
        `the file has ${file.description.size} bytes, and none of them is in that range`,
      );
    }
    const bytes = ctx.method === 'HEAD' || !range ? undefined : await file.read(range);
    ctx.respond = false;
    ctx.res.writeHead(status, headers);
    await sendBytes(ctx.res, bytes);
  }

  async function showFile(ctx: Context, next: Next): Promise<void> {
    const { id }: { id: string } = ctx.params;
    // Other paths, such as `/upload`, match this route as well.
    if (expiryOf(id) === undefined) return next();
    const file = await uploads.find(id).catch((error: unknown) => {
      pages.remove(id);
      throw error;
    });
    sendPage(ctx, pages.get(id) ?? (await renderPage(id, file)));
  }

  /** When several requests need the same page at once, only the first that has read the text renders it. */
  async function renderPage(id: string, file: StoredFile): Promise<Buffer> {
    const { description } = file;
    const text = await readBeginning(file);
    const rendered = pages.get(id);
    if (rendered) return rendered;
    const url = addresses.page(id);
    const page = renderFilePage({
      name: displayName(description.originalname),
      size: formatSize(description.size),
      mediaType: description.mediaType,
      expires: formatTime(description.expiresAt),
      sha256: description.sha256,
      file: new URL(addresses.file(id, description.extension)).pathname,
      url,
      qrCode: toSvgSource(generate(url), { on: 'black', padX: 2, padY: 2 }),
      text,
    });
    return pages.add(id, Buffer.from(page));
  }

  async function askToDelete(ctx: Context): Promise<void> {
    const { id, key }: { id: string; key: string } = ctx.params;
    const { description } = await uploads.findForDeletion(id, key);
    sendPage(ctx, renderDeletePage(displayName(description.originalname)));
  }

  /** Deletes by POST, because a form cannot send DELETE. */
  async function deleteByForm(ctx: Context): Promise<void> {
    await deleteFile(ctx);
    sendPage(ctx, renderDeletedPage());
  }

  async function deleteFile(ctx: Context): Promise<void> {
    const { id, key }: { id: string; key: string } = ctx.params;
    await uploads.remove(id, key);
    pages.remove(id);
    ctx.status = 204;
  }

  return { sendFile, showFile, askToDelete, deleteByForm, deleteFile };
}

/** The address of a page is a secret: it must not leak through Referer. */
function sendPage(ctx: Context, page: string | Buffer): void {
  ctx.status = 200;
  ctx.set({
    'Content-Security-Policy': PAGE_POLICY,
    'Referrer-Policy': 'no-referrer',
  });
  ctx.type = 'html';
  ctx.body = page;
}

/** Reads the preview of a text; undefined for other files. */
async function readBeginning({ description, read }: StoredFile) {
  const { mediaType, size } = description;
  if (mediaType !== TEXT || size === 0) return undefined;
  const bytes = await read({ start: 0, end: Math.min(size, PREVIEW_BYTES) - 1 });
  const beginning = Buffer.isBuffer(bytes) ? bytes : await join(bytes);
  return {
    beginning: new TextDecoder().decode(beginning, { stream: size > PREVIEW_BYTES }),
    goesOn: size > PREVIEW_BYTES,
  };
}

async function join(chunks: Chunks): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of chunks) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}
