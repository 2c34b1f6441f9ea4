import type { Context } from 'koa';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { displayName } from '../../domain/file-name.ts';
import { formatSize } from '../../domain/units.ts';
import { idInAddress } from '../../domain/upload-address.ts';
import { type CollectionPage, renderCollectionPage } from '../../pages/collection.ts';
import type { CollectedFiles } from '../../publishing/schemas/responses.ts';
import type { FromSchema } from '../../publishing/schemas/schema.ts';
import {
  type CollectedFile,
  type Collection,
  type Collections,
  MAX_COLLECTED,
  type NamedFile,
} from '../../uploads/collections/collections.ts';
import { servedType } from '../../uploads/media-type.ts';
import { sendPage } from '../page-documents.ts';
import { readSmallBody } from '../request-body.ts';
import { SECURITY_HEADERS } from './answer-file.ts';
import type { FileRoutesOptions, SendOptions } from './files.ts';
import { senderOf } from './receive-upload.ts';
import { sendBytes } from './send-bytes.ts';
import { createZip, uniqueNames } from './zip.ts';

export const COLLECTIONS_PATH = '/c';
/** As many addresses as there may be, of an unusual length. */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_SHOWN_NAME = 100;

interface CollectionRoutesOptions extends FileRoutesOptions, Pick<SendOptions, 'fileTraffic'> {
  collections: Collections;
  /** Runs work in a place of the owner of a request. */
  inPlace: (ctx: Context, work: () => Promise<void>) => Promise<void>;
}

/** The routes of collections. All but `create` throw what `Collections.find` throws. */
export function collectionRoutes(options: CollectionRoutesOptions) {
  const { collections, addresses, formatTime, locales, fileTraffic, inPlace } = options;

  async function create(ctx: Context): Promise<void> {
    if (!ctx.is('json')) throw new AppError('unsupported-media-type', 'send application/json, with a body');
    const named = parseFiles(await readSmallBody(ctx, MAX_BODY_BYTES));
    const collection = await collections.create(named, senderOf(ctx));
    const result = {
      url: addresses.collection(collection.id),
      expired: collection.expiresAt,
      expiredFmt: formatTime(collection.expiresAt),
      files: collection.files.map(presentCollected),
    };
    ctx.body = { status: true, result } satisfies FromSchema<typeof CollectedFiles>;
  }

  function presentCollected({ id, file }: CollectedFile) {
    const { originalname, size, extension } = file.description;
    return {
      name: originalname,
      filesize: formatSize(size),
      url: addresses.page(id),
      url_file: addresses.file(id, extension),
    };
  }

  async function show(ctx: Context): Promise<void> {
    const collection = await collections.find(ctx.params.id);
    const { id, expiresAt } = collection;
    const url = addresses.collection(id);
    const page = {
      url,
      archive: new URL(`${url}.zip`).pathname,
      report: addresses.report(id),
      size: formatSize(totalBytes(collection)),
      files: collection.files.map(presentRow),
    };
    sendPage(ctx, (language) => {
      const locale = locales[language];
      return renderCollectionPage({ ...page, expiry: locale.presentExpiry(expiresAt) }, locale);
    });
    // Files vanish from it before it expires, so a browser asks each time.
    ctx.set('Cache-Control', 'private, no-cache');
  }

  function presentRow({ id, file }: CollectedFile): CollectionPage['files'][number] {
    const { originalname, size, mediaType, extension } = file.description;
    return {
      name: displayName(originalname),
      size: formatSize(size),
      page: new URL(addresses.page(id)).pathname,
      file: new URL(addresses.file(id, extension)).pathname,
      isPicture: servedType(mediaType).startsWith('image/'),
    };
  }

  async function sendArchive(ctx: Context): Promise<void> {
    // Only to find the files takes a place: to send them takes as long as the client likes.
    const { promise, resolve } = Promise.withResolvers<Collection>();
    await inPlace(ctx, async () => resolve(await collections.find(ctx.params.id)));
    const { id, files } = await promise;
    if (ctx.method === 'GET') {
      for (const one of files) fileTraffic?.(one.id, one.file.description.size);
    }
    const names = uniqueNames(files.map(({ file }) => displayName(file.description.originalname)));
    const archive = await createZip(files.map(({ file }, index) => ({ file, name: names[index]! })));
    const headers = {
      ...SECURITY_HEADERS,
      'Content-Type': 'application/zip',
      'Content-Length': String(archive.size),
      'Content-Disposition': `attachment; filename=tayang-${id.slice(-6)}.zip`,
      'Accept-Ranges': 'none',
      'X-Robots-Tag': 'noindex',
    };
    ctx.respond = false;
    ctx.res.writeHead(200, headers);
    try {
      await sendBytes(ctx.res, ctx.method === 'GET' ? archive.bytes : undefined);
    } finally {
      archive.close();
    }
  }

  return { create, show, sendArchive };
}

function totalBytes({ files }: Collection): number {
  return files.reduce((sum, { file }) => sum + file.description.size, 0);
}

/** Parses the body of a request that makes a collection. Throws AppError `invalid-request`. */
function parseFiles(body: string): NamedFile[] {
  const files = filesIn(body);
  if (!Array.isArray(files) || !files.every((file) => typeof file === 'string'))
    throw invalidRequest('send a JSON object with files, a list of addresses or ids of files');
  if (files.length === 0 || files.length > MAX_COLLECTED)
    throw invalidRequest(`files must name 1 to ${MAX_COLLECTED} files; yours names ${files.length}`);
  return files.map((text) => ({ id: idInAddress(text.trim()), name: text.trim().slice(0, MAX_SHOWN_NAME) }));
}

function filesIn(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && 'files' in value ? value.files : undefined;
  } catch {
    throw invalidRequest('the body must be JSON, such as {"files":["https://…"]}');
  }
}
