import Negotiator from 'negotiator';
import { AppError } from '../domain/errors.ts';
import { type Document, ENCODINGS, type Encoding, type Variant } from '../publishing/document.ts';
import { checkPreconditions, type Preconditions } from './preconditions.ts';

/** The request headers that decide what is sent of a document. */
export interface Conditions extends Preconditions {
  'accept-encoding'?: string | string[] | undefined;
}

export interface Answer {
  status: 200 | 304;
  /** Names and values in turn, as `writeHead` takes them. */
  headers: readonly string[];
  /** What GET sends. HEAD sends the same headers without it. */
  body: Buffer | undefined;
  /** What GET sends after it. */
  rest: readonly Uint8Array[];
}

/** What `If-Match` or `If-Unmodified-Since` asks for is not what there is. */
export const PRECONDITION_FAILED =
  'this is not the version that If-Match or If-Unmodified-Since names; leave them out to get the current one';

const NOTHING: readonly Uint8Array[] = [];
const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400';

/**
 * What to send of a document: the one place for encodings and conditional requests, whatever the document. Throws
 * AppError `not-acceptable` when the client excludes every encoding there is, and `precondition-failed`. `now`: wall
 * clock, ms since 1970.
 */
export function answer(document: Document, conditions: Conditions, now: number): Answer {
  const variant = chooseVariant(document, String(conditions['accept-encoding'] ?? ''));
  const verdict = checkPreconditions(conditions, document);
  if (verdict === 'failed') throw new AppError('precondition-failed', PRECONDITION_FAILED);
  if (verdict === 'not-modified') {
    const headers = dated(document, validatorsOf(document, variant), now);
    return { status: 304, headers, body: undefined, rest: NOTHING };
  }
  const { bytes, rest = NOTHING } = variant;
  return { status: 200, headers: dated(document, headersOf(document, variant), now), body: bytes, rest };
}

function chooseVariant(document: Document, acceptEncoding: string): Variant {
  for (const encoding of acceptableEncodings(acceptEncoding)) {
    const variant = document.variants.find((candidate) => candidate.encoding === encoding);
    if (variant) return variant;
  }
  const offered = document.variants.map((variant) => variant.encoding).join(', ');
  throw new AppError('not-acceptable', `none of the encodings that you accept is offered here: ${offered}`);
}

const headersOf = perVariant((document, variant) => [
  ...validatorsOf(document, variant),
  ...['Content-Type', document.contentType],
  ...['Content-Length', String(lengthOf(variant))],
  ...(variant.encoding === 'identity' ? [] : ['Content-Encoding', variant.encoding]),
]);

const validatorsOf = perVariant((document, { etag }) => [
  ...['ETag', etag],
  ...['Last-Modified', new Date(document.changedAt).toUTCString()],
  ...['Cache-Control', CACHE_CONTROL],
  ...['Vary', [...document.vary, 'Accept-Encoding'].join(', ')],
  ...document.headers,
]);

/** RFC 9110, 8.8.2: after a clock was set back, what changed later than now is dated now. */
function dated(document: Document, headers: readonly string[], now: number): readonly string[] {
  if (document.changedAt <= now) return headers;
  return headers.with(headers.indexOf('Last-Modified') + 1, new Date(now).toUTCString());
}

function lengthOf({ bytes, rest = NOTHING }: Variant): number {
  return rest.reduce((length, piece) => length + piece.length, bytes.length);
}

/** Headers are made once for each variant, and go with it. */
function perVariant(make: (document: Document, variant: Variant) => string[]) {
  const made = new WeakMap<Variant, string[]>();
  return (document: Document, variant: Variant): string[] => {
    const known = made.get(variant);
    if (known) return known;
    const headers = make(document, variant);
    made.set(variant, headers);
    return headers;
  };
}

const MAX_REMEMBERED = 100;
const remembered = new Map<string, readonly Encoding[]>();

/** Clients send few different headers, all day long: what they mean is remembered. */
function acceptableEncodings(acceptEncoding: string): readonly Encoding[] {
  const known = remembered.get(acceptEncoding);
  if (known) return known;
  const negotiator = new Negotiator({
    headers: { 'accept-encoding': acceptEncoding },
  }) as PreferringNegotiator;
  const encodings = negotiator.encodings(ENCODINGS, { preferred: ENCODINGS });
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(acceptEncoding, encodings);
  return encodings;
}

/** Its types lag behind: the second argument orders what the client likes equally well. */
type PreferringNegotiator = Negotiator & {
  encodings(offered: readonly Encoding[], options: { preferred: readonly Encoding[] }): Encoding[];
};
