import type { Context, Next } from 'koa';
import { generate } from 'lean-qr';
import { toSvgSource } from 'lean-qr/extras/svg';
import { AppError } from '../../domain/errors.ts';
import { formatSize } from '../../domain/units.ts';
import { expiryOf } from '../../domain/upload.ts';
import { renderDeletedPage, renderDeletePage, renderFilePage } from '../../pages/file.ts';
import { LANGUAGES } from '../../pages/i18n/translations.ts';
import { shownName } from '../../uploads/file-name.ts';
import { isInline } from '../../uploads/media-type.ts';
import type { Uploads } from '../../uploads/receive.ts';
import type { StoredFile } from '../../uploads/storage.ts';
import { PRECONDITION_FAILED } from '../answer.ts';
import type { UploadAddresses } from './addresses.ts';
import { answerFile } from './answer-file.ts';
import { createPageCache } from './page-cache.ts';
import { readPreview } from './read-preview.ts';
import { sendBytes } from './send-bytes.ts';
import { sendPage, type Visitor } from './visitor.ts';

export interface FileRoutesOptions {
  uploads: Uploads;
  addresses: UploadAddresses;
  /** `HH:mm:ss DD/MM/YYYY`. */
  formatTime: (ms: number) => string;
  visitorOf: (ctx: Context) => Visitor;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** The routes of what has been uploaded. Each throws AppError `expired` or `not-found` when it is not there. */
export function fileRoutes({ uploads, addresses, formatTime, visitorOf, now }: FileRoutesOptions) {
  const pages = createPageCache(LANGUAGES);

  async function sendFile(ctx: Context): Promise<void> {
    const [id = '', ...rest] = String(ctx.params.name).split('.');
    const file = await uploads.find(id);
    const { extension } = file.description;
    if (rest.join('.') !== extension)
      throw new AppError('not-found', 'there is no such file under this extension');
    const { status, headers, range } = answerFile(file.description, ctx.req.headers, ctx.method);
    if (status === 412) {
      ctx.set(headers);
      throw new AppError('precondition-failed', PRECONDITION_FAILED);
    }
    if (status === 416) {
      ctx.set(headers);
      throw new AppError(
        'range-not-satisfiable',
        `the file has ${file.description.size} bytes, none of them in that range`,
      );
    }
    const bytes = ctx.method === 'HEAD' || !range ? undefined : await file.read(range);
    ctx.respond = false;
    ctx.res.writeHead(status, headers);
    await sendBytes(ctx.res, bytes);
  }

  async function showFile(ctx: Context, next: Next): Promise<void> {
    const { id } = ctx.params as { id: string };
    // Other paths look alike, `/upload` for one.
    if (expiryOf(id) === undefined) return next();
    const file = await uploads.find(id).catch((error: unknown) => {
      pages.remove(id);
      throw error;
    });
    const visitor = visitorOf(ctx);
    sendPage(ctx, await renderPage(id, file, visitor), visitor.words);
  }

  /** Of several requests for one page that come together, the first one to have its text renders it for all. */
  async function renderPage(id: string, file: StoredFile, visitor: Visitor): Promise<Buffer> {
    const { description } = file;
    const { words, presentExpiry } = visitor;
    const { language } = words;
    const { expiresAt } = description;
    const expiry = presentExpiry(expiresAt, now(), formatTime(expiresAt));
    const asOf = expiry.shown.text;
    const known = pages.get(id, language, asOf);
    if (known) return known;
    const text = await readPreview(file);
    const rendered = pages.get(id, language, asOf);
    if (rendered) return rendered;
    const url = addresses.page(id);
    const page = renderFilePage(
      {
        name: shownName(description.originalname),
        size: formatSize(description.size),
        mediaType: description.mediaType,
        isInline: isInline(description.mediaType),
        expiry,
        sha256: description.sha256,
        file: new URL(addresses.file(id, description.extension)).pathname,
        url,
        qrCode: toSvgSource(generate(url), { on: 'black', padX: 2, padY: 2 }),
        text,
      },
      words,
    );
    return pages.add(id, language, asOf, Buffer.from(page));
  }

  async function askToDelete(ctx: Context): Promise<void> {
    const { id, key } = ctx.params as { id: string; key: string };
    const { description } = await uploads.findForDeletion(id, key);
    const { words } = visitorOf(ctx);
    sendPage(ctx, renderDeletePage(shownName(description.originalname), words), words);
  }

  /** The button of the page: a form knows no DELETE. */
  async function deleteByForm(ctx: Context): Promise<void> {
    await deleteFile(ctx);
    const { words } = visitorOf(ctx);
    sendPage(ctx, renderDeletedPage(words), words);
  }

  async function deleteFile(ctx: Context): Promise<void> {
    const { id, key } = ctx.params as { id: string; key: string };
    await uploads.remove(id, key);
    pages.remove(id);
    ctx.status = 204;
  }

  return { sendFile, showFile, askToDelete, deleteByForm, deleteFile };
}
