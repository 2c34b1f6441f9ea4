import { hash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** For copies of a state, which may be stale. */
export const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400';
/** For answers to "anything new since then?": a stale answer would say no. */
export const NEWS_CACHE_CONTROL = 'public, max-age=5';

/** One encoding of a document; `etag` is a strong tag of exactly these bytes. */
export interface Variant {
  encoding: Encoding;
  bytes: Buffer;
  etag: string;
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
  /** The encodings that are shorter than `identity`, in the order of `ENCODINGS`, then `identity`. */
  variants: Variant[];
  /** Encodings that are made when they are first asked for, and are among the variants from then on. */
  later: Compression[];
  /** How hard those are compressed. Bytes with the same tag are the same, whenever they were made. */
  effort: keyof typeof EFFORTS;
}

/** Documents by their address: a path, with a query where that selects one of several. */
export type Documents = ReadonlyMap<string, Document>;

/** The level of each compressor. */
interface Effort {
  br: number;
  zstd: number;
  gzip: number;
}

const EFFORTS = {
  /** For documents that many clients get. */
  high: { br: 6, zstd: 9, gzip: 9 },
  /** For documents that exist for each anime or each request: often only one client gets such a compression. */
  low: { br: 4, zstd: 3, gzip: 6 },
} satisfies Record<string, Effort>;

/** The compressors get the size of the input: without it they allocate for a large one, at twenty times the cost. */
const COMPRESSORS = {
  br(bytes: Buffer, { br }: Effort) {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: br,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      [constants.BROTLI_PARAM_LGWIN]: windowBits(bytes.length),
    };
    return brotliCompressSync(bytes, { params });
  },
  zstd(bytes: Buffer, { zstd }: Effort) {
    const params = { [constants.ZSTD_c_compressionLevel]: zstd };
    return zstdCompressSync(bytes, { params, pledgedSrcSize: bytes.length });
  },
  gzip: (bytes: Buffer, { gzip }: Effort) => gzipSync(bytes, { level: gzip }),
};

type RunCompression = <Result>(compress: () => Result) => Result;

let runCompression: RunCompression = (compress) => compress();

/** Sets the function that runs each compression of this thread, because the thread must not be ended during one. */
export function guardCompression(run: RunCompression): void {
  runCompression = run;
}

export type Compression = keyof typeof COMPRESSORS;
export type Encoding = Compression | 'identity';

const COMPRESSIONS = Object.keys(COMPRESSORS) as Compression[];
/** The preferred encoding comes first. */
export const ENCODINGS: readonly Encoding[] = [...COMPRESSIONS, 'identity'];

/**
 * For documents that exist for each anime or each request. Clients ask for few of them, and in few encodings, so compressing all
 * of them would take longer than rendering them.
 */
export const COMPRESSED_LATER = { isCompressedLater: true };
/**
 * For documents that are rendered while the process starts: compressing all of them ahead takes longer than everything else
 * until the first response.
 */
export const COMPRESSED_WHEN_ASKED = { isCompressedWhenAsked: true };
/** A smaller document fits into one packet anyway. */
const MIN_COMPRESSED_LATER = 1_024;

/** The smallest window that has all of the input in it. */
function windowBits(bytes: number): number {
  const { BROTLI_MIN_WINDOW_BITS: min, BROTLI_MAX_WINDOW_BITS: max } = constants;
  return Math.min(max, Math.max(min, Math.ceil(Math.log2(bytes + 16))));
}

interface DocumentOptions extends Partial<Pick<Document, 'vary' | 'headers' | 'cacheControl'>> {
  /** By default all that can make the type shorter: a PNG is already compressed. */
  compressions?: readonly Compression[];
  /** Whether an encoding is made, with low effort, when it is first asked for. */
  isCompressedLater?: boolean;
  /** Whether an encoding is made, with the usual effort, when it is first asked for. */
  isCompressedWhenAsked?: boolean;
}

/**
 * Renders a document with its encodings. They are compressed at a high level, because this happens once per change. It
 * runs in the calling thread, never the thread that serves requests: the thread pool would take every core from that.
 */
export function createDocument(
  contentType: string,
  content: string | Uint8Array,
  changedAt: number,
  options: DocumentOptions = {},
): Document {
  const { vary = [], headers = [], cacheControl = CACHE_CONTROL } = options;
  const { compressions = contentType.startsWith('image/png') ? [] : COMPRESSIONS } = options;
  const { isCompressedLater = false, isCompressedWhenAsked = false } = options;
  const effort = isCompressedLater ? 'low' : 'high';
  const bytes = copyUnpooled(typeof content === 'string' ? Buffer.from(content) : content);
  const digest = digestOf(bytes);
  const identity: Variant = { encoding: 'identity', bytes, etag: `"${digest}"` };
  const common: Omit<Document, 'variants' | 'later'> = {
    contentType,
    changedAt,
    vary,
    headers,
    cacheControl,
    identity,
    effort,
  };
  if (isCompressedLater || isCompressedWhenAsked) {
    const later = bytes.length < MIN_COMPRESSED_LATER ? [] : [...compressions];
    return { ...common, variants: [identity], later };
  }
  const compressed = compressions.map((encoding) => compress(identity, encoding, EFFORTS[effort]));
  const shorter = compressed.filter((variant) => variant.bytes.length < bytes.length);
  return { ...common, variants: [...shorter, identity], later: [] };
}

/** Makes an encoding that a document has `later`. Undefined where it is not shorter, and is not offered any more. */
export function compressNow(document: Document, encoding: Compression): Variant | undefined {
  const { identity, variants } = document;
  document.later = document.later.filter((one) => one !== encoding);
  const variant = compress(identity, encoding, EFFORTS[document.effort]);
  if (variant.bytes.length >= identity.bytes.length) return undefined;
  document.variants = [...variants, variant].sort((a, b) => rankOf(a) - rankOf(b));
  return variant;
}

/** The tags that conditions are compared with: of all encodings, even of those that only another process has made. */
export function tagsOf({ variants, later, identity }: Document): readonly { etag: string }[] {
  // Most documents have nothing for later, and most requests are for them.
  return later.length === 0 ? variants : [...variants, ...later.map((encoding) => tagOf(identity, encoding))];
}

function compress(identity: Variant, encoding: Compression, effort: Effort): Variant {
  // A compressor returns a part of its working memory, which takes 16 KB.
  const bytes = copyUnpooled(runCompression(() => COMPRESSORS[encoding](identity.bytes, effort)));
  return { encoding, bytes, ...tagOf(identity, encoding) };
}

function tagOf({ etag }: Variant, encoding: Compression): { etag: string } {
  return { etag: `${etag.slice(0, -1)}-${encoding}"` };
}

function rankOf({ encoding }: Variant): number {
  return ENCODINGS.indexOf(encoding);
}

/** Bytes in memory of their own, which can be transferred: small buffers share a pool. */
function copyUnpooled(bytes: Uint8Array): Buffer {
  return Buffer.from(new Uint8Array(bytes).buffer);
}

function digestOf(content: string | Buffer): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}

/** The content of a document, and the address that it has. */
export interface Content extends DocumentOptions {
  address: string;
  contentType: string;
  text: string;
  /** When its contents changed, ms since 1970. Absent if time alone changes it too. */
  changedAt?: number | undefined;
}

/** JSON as the content of a document. */
export function jsonContent(address: string, body: object, options: Partial<Content> = {}): Content {
  return jsonTextContent(address, JSON.stringify(body), options);
}

/** The same of JSON that is text already. */
export function jsonTextContent(address: string, text: string, options: Partial<Content> = {}): Content {
  return { address, contentType: JSON_TYPE, text, ...options };
}

/**
 * Renders documents. One with the same bytes as before is that document, with its compressed variants. It is recognized by
 * its tag, because its bytes may have been sent to another thread. The first documents are compressed when they are asked for.
 */
export function renderDocuments(
  contents: readonly Content[],
  now: number,
  before: Documents | undefined,
): Documents {
  const options = before ? {} : COMPRESSED_WHEN_ASKED;
  return new Map(
    contents.map((one) => [
      one.address,
      renderDocument({ ...one, ...options }, now, before?.get(one.address)),
    ]),
  );
}

/**
 * A document is dated when its bytes became others, which a process that does not know the ones before takes from its
 * content, or from the clock. HTTP dates have seconds, so two changes are at least one apart, or a client that asks "since?"
 * would miss the second.
 */
export function renderDocument(content: Content, now: number, before?: Document): Document {
  const { contentType, text, changedAt = now, ...options } = content;
  if (!before) return createDocument(contentType, text, changedAt, options);
  if (before.identity.etag === `"${digestOf(text)}"`) return before;
  const earliest = before.changedAt + 1_000;
  const isDated = changedAt >= earliest;
  return createDocument(contentType, text, isDated ? changedAt : Math.max(now, earliest), options);
}
