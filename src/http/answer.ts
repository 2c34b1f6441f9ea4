import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../domain/errors.ts';
import { compressNow, type Document, type Encoding, tagsOf, type Variant } from '../publishing/document.ts';
import { acceptableEncodings } from './negotiate.ts';
import { isNotModified } from './preconditions.ts';

export interface Answer {
  status: 200 | 304;
  /** Names and values in turn, as `writeHead` takes them. */
  headers: readonly string[];
  /** What GET sends. HEAD sends the same headers without it. */
  body: Uint8Array | undefined;
}

/**
 * Decides what is sent of a document: its encoding, and whether the client has it already. Throws AppError
 * `not-acceptable` when the client excludes every encoding there is, and `precondition-failed`. `now`: wall clock, ms
 * since 1970.
 */
export function answer(document: Document, conditions: IncomingHttpHeaders, now: number): Answer {
  const variant = chooseVariant(document, conditions['accept-encoding'] ?? '');
  const isKnown = isNotModified(conditions, { changedAt: document.changedAt, variants: tagsOf(document) });
  const { whole, notModified } = headersOf(variant, document);
  if (isKnown) return { status: 304, headers: withDate(notModified, document, now), body: undefined };
  return { status: 200, headers: withDate(whole, document, now), body: variant.bytes };
}

function chooseVariant(document: Document, acceptEncoding: string): Variant {
  for (const encoding of acceptableEncodings(acceptEncoding)) {
    const variant = findVariant(document, encoding);
    if (variant) return variant;
  }
  const made = document.variants.map((variant) => variant.encoding);
  const offered = [...document.later, ...made].join(', ');
  throw new AppError('not-acceptable', `none of the encodings that you accept is offered here: ${offered}`);
}

function findVariant(document: Document, encoding: Encoding): Variant | undefined {
  const made = document.variants.find((candidate) => candidate.encoding === encoding);
  if (made) return made;
  const later = document.later.find((one) => one === encoding);
  return later && compressNow(document, later);
}

/** The headers of a 200 and of a 304. */
interface VariantHeaders {
  whole: readonly string[];
  notModified: readonly string[];
}

/** The headers of what was sent before, because a variant is always sent with the same ones. */
const knownHeaders = new WeakMap<Variant, VariantHeaders>();

function headersOf(variant: Variant, document: Document): VariantHeaders {
  const known = knownHeaders.get(variant);
  if (known) return known;
  const { encoding, etag, bytes } = variant;
  const notModified = [
    'ETag',
    etag,
    'Last-Modified',
    new Date(document.changedAt).toUTCString(),
    'Cache-Control',
    document.cacheControl,
    'Vary',
    [...document.vary, 'Accept-Encoding'].join(', '),
    'Content-Type',
    document.contentType,
    'X-Content-Type-Options',
    'nosniff',
    ...document.headers,
  ];
  const whole = [...notModified, 'Content-Length', String(bytes.length)];
  if (encoding !== 'identity') whole.push('Content-Encoding', encoding);
  const headers = { notModified, whole };
  knownHeaders.set(variant, headers);
  return headers;
}

/** Replaces a `Last-Modified` that is in the future, because a clock was set back, by the current time (RFC 9110, 8.8.2). */
function withDate(headers: readonly string[], { changedAt }: Document, now: number): readonly string[] {
  if (changedAt <= now) return headers;
  return headers.with(headers.indexOf('Last-Modified') + 1, new Date(now).toUTCString());
}
