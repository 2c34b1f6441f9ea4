import type Router from '@koa/router';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../domain/errors.ts';
import { createDocument, type Document } from '../../publishing/document.ts';
import type { ListingView } from '../health.ts';
import type { ReadStore } from './read-store.ts';
import { normalizeSlug, requireEdition } from './require-edition.ts';
import type { SendDocument } from './send.ts';

/** Reads a file of a cover: a hash and an extension. Null where the store does not have it, undefined without an answer. */
export type ReadCover = (name: string) => Promise<Uint8Array | null | undefined>;

/** Those of some hundred anime in both sizes; more of them are read from the store again. */
const MAX_CACHED_BYTES = 8 * 1024 * 1024;
/** Another cover has another address. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const TYPES = { webp: 'image/webp', jpg: 'image/jpeg' };
const NAME = /^\/covers\/(?<cover>[^/]+-(?<hash>[0-9a-f]{16}))\.(?<extension>webp|jpg)$/u;
const RETRY_MS = 1_000;

interface CoverRoutesOptions {
  view: ListingView;
  readStore: ReadStore;
  readCover: ReadCover;
  send: SendDocument;
}

/**
 * The route of the covers that are kept here. A name that this process does not know may be of a cover that another one has just
 * stored: it waits for a reading of the store, which all such requests share.
 */
export function routeCovers(router: Router, { view, readStore, readCover, send }: CoverRoutesOptions): void {
  const cache = new LRUCache<string, Document>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ identity }) => identity.bytes.length,
  });
  /** All requests for a file share its reading. */
  const readings = new Map<string, ReturnType<ReadCover>>();

  function readShared(name: string): ReturnType<ReadCover> {
    const known = readings.get(name);
    if (known) return known;
    const reading = readCover(name).finally(() => readings.delete(name));
    readings.set(name, reading);
    return reading;
  }

  async function keptAt(cover: string): Promise<number> {
    const find = () => requireEdition(view).covers.get(cover);
    const known = find();
    if (known !== undefined) return known;
    if (!(await readStore())) throw unread();
    return find() ?? refuse();
  }

  async function findFile(cover: string, hash: string, extension: keyof typeof TYPES): Promise<Document> {
    const changedAt = await keptAt(cover);
    const name = `${hash}.${extension}`;
    const cached = cache.get(name);
    if (cached) return cached;
    const bytes = await readShared(name);
    if (bytes === undefined) throw unread();
    const document = createDocument(TYPES[extension], bytes ?? refuse(), changedAt, {
      compressions: [],
      cacheControl: FOR_EVER,
    });
    cache.set(name, document);
    return document;
  }

  router.get('/covers/:name', async (ctx) => {
    const { cover, hash = '', extension } = NAME.exec(ctx.path)?.groups ?? {};
    if (cover === undefined) refuse();
    // The expression has these extensions alone.
    send(ctx, await findFile(normalizeSlug(cover), hash, extension as keyof typeof TYPES));
  });
}

function unread(): AppError {
  const message = 'the cover cannot be read now; try again in a moment';
  return new AppError('not-ready', message, { retryAfterMs: RETRY_MS });
}

function refuse(): never {
  throw new AppError(
    'not-found',
    'there is no cover at this address; the API and the pages have current ones',
  );
}
