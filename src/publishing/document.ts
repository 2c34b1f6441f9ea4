import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';

/** In the order in which we prefer them. */
export const ENCODINGS = ['br', 'zstd', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** One encoding of a document, and the strong tag of exactly these bytes. */
export interface Variant {
  encoding: Encoding;
  bytes: Buffer;
  /** What follows `bytes`, where documents share pieces. */
  rest?: readonly Uint8Array[];
  etag: string;
}

/** An answer made ready when its content changed, and sent any number of times. */
export interface Document {
  contentType: string;
  /** When the content last changed, ms since 1970. */
  changedAt: number;
  /** Request headers beside Accept-Encoding that choose between documents of one address. */
  vary: readonly string[];
  /** Headers that go with this document alone, names and values in turn. */
  headers: readonly string[];
  identity: Variant;
  /** `identity`, and the encodings that are shorter, in the order of `ENCODINGS`. */
  variants: Variant[];
}

/** They are told the size, or they would set up for more: twenty times the work for a page. */
const COMPRESSORS: Record<Exclude<Encoding, 'identity'>, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    return promisify(brotliCompress)(bytes, { params });
  },
  zstd: (bytes) => {
    const params = { [constants.ZSTD_c_compressionLevel]: 12 };
    return promisify(zstdCompress)(bytes, { params, pledgedSrcSize: bytes.length });
  },
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

export interface DocumentOptions extends Partial<Pick<Document, 'vary' | 'headers'>> {
  /** Ends with `identity`; without it, every encoding that can make the type shorter. */
  encodings?: readonly Encoding[];
}

/** Compresses hard, on the thread pool: it happens once a change. */
export async function createDocument(
  contentType: string,
  content: string | Buffer,
  changedAt: number,
  { vary = [], headers = [], encodings = encodingsOf(contentType) }: DocumentOptions = {},
): Promise<Document> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  const all = await Promise.all(
    encodings.map(async (encoding): Promise<Variant> => {
      if (encoding === 'identity') return { encoding, bytes, etag: `"${hash}"` };
      return { encoding, bytes: await COMPRESSORS[encoding](bytes), etag: `"${hash}-${encoding}"` };
    }),
  );
  const identity = all.at(-1) as Variant;
  const variants = all.filter((variant) => variant === identity || variant.bytes.length < bytes.length);
  return { contentType, changedAt, vary, headers, identity, variants };
}

/** A PNG is compressed already. */
function encodingsOf(contentType: string): readonly Encoding[] {
  return contentType.startsWith('image/png') ? ['identity'] : ENCODINGS;
}

/** The document from before when it has just these bytes, compressed as it is; else a new one. */
export async function sameOr(
  before: Document | undefined,
  contentType: string,
  text: string,
  changedAt: number,
): Promise<Document> {
  if (before?.identity.bytes.equals(Buffer.from(text))) return before;
  return createDocument(contentType, text, changedAt);
}
