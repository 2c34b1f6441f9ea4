import { hash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { copyUnpooled } from '../domain/unpooled-copy.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** For copies of a state, which may be stale. */
const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400';
/** For what answers "what is new since then": a stale answer would say that nothing is. */
export const NEWS_CACHE_CONTROL = 'public, max-age=5';

/** The preferred encoding comes first. */
export const ENCODINGS = ['br', 'zstd', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** One encoding of a document; `etag` is a strong tag of exactly these bytes. */
export interface Variant {
  encoding: Encoding;
  bytes: Buffer;
  etag: string;
  /** The headers of a 200, names and values in turn. */
  headers: readonly string[];
  /** The headers of a 304. */
  notModifiedHeaders: readonly string[];
}

/** A response that is rendered once per change and sent any number of times. */
export interface Document {
  contentType: string;
  /** When the content last changed, ms since 1970. */
  changedAt: number;
  /** Request headers beside Accept-Encoding that choose between documents of one address. */
  vary: readonly string[];
  /** Headers of this document alone, names and values in turn. */
  headers: readonly string[];
  cacheControl: string;
  identity: Variant;
  /** `identity`, and the encodings that are shorter, in the order of `ENCODINGS`. */
  variants: Variant[];
}

/** Documents by their address: a path, with a query where that selects one of several. */
export type Documents = ReadonlyMap<string, Document>;

/** The compressors get the size of the input: without it they allocate for a large one, at twenty times the cost. */
const COMPRESSORS: Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Buffer> = {
  br(bytes) {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 6,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      [constants.BROTLI_PARAM_LGWIN]: windowBits(bytes.length),
    };
    return brotliCompressSync(bytes, { params });
  },
  zstd(bytes) {
    const params = { [constants.ZSTD_c_compressionLevel]: 9 };
    return zstdCompressSync(bytes, { params, pledgedSrcSize: bytes.length });
  },
  gzip: (bytes) => gzipSync(bytes, { level: 9 }),
};

/** For what is small, and there for each anime. */
export const UNCOMPRESSED = { encodings: ['identity'] } as const;

/** The smallest window that has all of the input in it. */
function windowBits(bytes: number): number {
  const { BROTLI_MIN_WINDOW_BITS: min, BROTLI_MAX_WINDOW_BITS: max } = constants;
  return Math.min(max, Math.max(min, Math.ceil(Math.log2(bytes + 16))));
}

/** What the headers of each variant are made of. */
export type DocumentDescription = Omit<Document, 'identity' | 'variants'>;

interface DocumentOptions extends Partial<Pick<Document, 'vary' | 'headers' | 'cacheControl'>> {
  /** Ends with `identity`; without it, every encoding that can make the type shorter. */
  encodings?: readonly Encoding[];
}

/**
 * Renders a document with its encodings. They are compressed at a high level, because this happens once per change. It
 * runs in the calling thread, which must not be the one that serves requests; the thread pool would take every core from
 * that one.
 */
export function createDocument(
  contentType: string,
  content: string | Buffer,
  changedAt: number,
  options: DocumentOptions = {},
): Document {
  const {
    vary = [],
    headers = [],
    cacheControl = CACHE_CONTROL,
    encodings = encodingsOf(contentType),
  } = options;
  const bytes = copyUnpooled(Buffer.from(content));
  const digest = digestOf(bytes);
  const description = { contentType, changedAt, vary, headers, cacheControl };
  const all = encodings.map((encoding): Variant => {
    if (encoding === 'identity') return addHeaders({ encoding, bytes, etag: `"${digest}"` }, description);
    // A compressor returns a part of its working memory, which takes 16 KB.
    const compressed = copyUnpooled(COMPRESSORS[encoding](bytes));
    return addHeaders({ encoding, bytes: compressed, etag: `"${digest}-${encoding}"` }, description);
  });
  // Every list of encodings ends with `identity`.
  const identity = all.at(-1) as Variant;
  const variants = all.filter((variant) => variant === identity || variant.bytes.length < bytes.length);
  return { ...description, identity, variants };
}

export function digestOf(content: string | Buffer): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}

/** A PNG is already compressed. */
function encodingsOf(contentType: string): readonly Encoding[] {
  return contentType.startsWith('image/png') ? ['identity'] : ENCODINGS;
}

/** Adds the headers that a variant is always sent with, so that no request has to make them. */
export function addHeaders(
  variant: Omit<Variant, 'headers' | 'notModifiedHeaders'>,
  { contentType, changedAt, vary, headers, cacheControl }: DocumentDescription,
): Variant {
  const { encoding, etag, bytes } = variant;
  const notModifiedHeaders = [
    ...['ETag', etag],
    ...['Last-Modified', new Date(changedAt).toUTCString()],
    ...['Cache-Control', cacheControl],
    ...['Vary', [...vary, 'Accept-Encoding'].join(', ')],
    ...['Content-Type', contentType],
    ...headers,
  ];
  return {
    ...variant,
    notModifiedHeaders,
    headers: [
      ...notModifiedHeaders,
      ...['Content-Length', String(bytes.length)],
      ...(encoding === 'identity' ? [] : ['Content-Encoding', encoding]),
    ],
  };
}

/** The content of a document, and the address that it has. */
export interface Content extends DocumentOptions {
  address: string;
  contentType: string;
  text: string;
  /** When what it shows changed, ms since 1970. Absent where time alone changes it too. */
  changedAt?: number;
}

/** JSON as the content of a document. */
export function jsonContent(address: string, body: object, options: Partial<Content> = {}): Content {
  return { address, contentType: JSON_TYPE, text: JSON.stringify(body), ...options };
}

/**
 * Renders documents. One with the same bytes as before is that document, with its compressed variants. It is recognized by
 * its tag, because its bytes may have been sent to another thread.
 */
export function renderDocuments(
  contents: readonly Content[],
  now: number,
  before: Documents | undefined,
): Map<string, Document> {
  return new Map(contents.map((one) => [one.address, renderDocument(one, now, before?.get(one.address))]));
}

/**
 * A document is dated when its bytes became others, which a process that does not know the ones before takes from its
 * content, or from the clock. HTTP dates have seconds, so two changes are at least one apart, or a client that asks "since?"
 * would miss the second.
 */
function renderDocument(content: Content, now: number, before: Document | undefined): Document {
  const { contentType, text, changedAt = now, ...options } = content;
  if (!before) return createDocument(contentType, text, changedAt, options);
  if (before.identity.etag === `"${digestOf(text)}"`) return before;
  const earliest = before.changedAt + 1_000;
  const isDated = changedAt >= earliest;
  return createDocument(contentType, text, isDated ? changedAt : Math.max(now, earliest), options);
}
