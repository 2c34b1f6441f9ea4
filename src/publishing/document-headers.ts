import type { Document, Variant } from './document.ts';

const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400';

type Bytes = Omit<Variant, 'headers' | 'notModifiedHeaders'>;
type Description = Pick<Document, 'contentType' | 'changedAt' | 'vary' | 'headers'>;

/** Adds the headers that a variant is always sent with, so that no request has to make them. */
export function addHeaders(variant: Bytes, { contentType, changedAt, vary, headers }: Description): Variant {
  const { encoding, etag, bytes, rest = [] } = variant;
  const length = rest.reduce((sum, piece) => sum + piece.length, bytes.length);
  const notModifiedHeaders = [
    ...['ETag', etag],
    ...['Last-Modified', new Date(changedAt).toUTCString()],
    ...['Cache-Control', CACHE_CONTROL],
    ...['Vary', [...vary, 'Accept-Encoding'].join(', ')],
    ...headers,
  ];
  return {
    ...variant,
    notModifiedHeaders,
    headers: [
      ...notModifiedHeaders,
      ...['Content-Type', contentType],
      ...['Content-Length', String(length)],
      ...(encoding === 'identity' ? [] : ['Content-Encoding', encoding]),
    ],
  };
}
