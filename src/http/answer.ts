import Negotiator from 'negotiator';
import { AppError } from '../domain/errors.ts';
import { type Document, ENCODINGS, type Encoding, type Variant } from '../publishing/document.ts';
import { memoize } from './memoize.ts';
import { checkPreconditions, PRECONDITION_FAILED, type Preconditions } from './preconditions.ts';

/** The request headers that decide what is sent of a document. */
export interface Conditions extends Preconditions {
  'accept-encoding'?: string | string[] | undefined;
}

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
export function answer(document: Document, conditions: Conditions, now: number): Answer {
  const variant = chooseVariant(document, String(conditions['accept-encoding'] ?? ''));
  const verdict = checkPreconditions(conditions, document);
  if (verdict === 'failed') throw new AppError('precondition-failed', PRECONDITION_FAILED);
  if (verdict === 'not-modified') {
    return { status: 304, headers: withDate(variant.notModifiedHeaders, document, now), body: undefined };
  }
  return { status: 200, headers: withDate(variant.headers, document, now), body: variant.bytes };
}

function chooseVariant(document: Document, acceptEncoding: string): Variant {
  for (const encoding of acceptableEncodings(acceptEncoding)) {
    const variant = document.variants.find((candidate) => candidate.encoding === encoding);
    if (variant) return variant;
  }
  const offered = document.variants.map((variant) => variant.encoding).join(', ');
  throw new AppError('not-acceptable', `none of the encodings that you accept is offered here: ${offered}`);
}

/** Replaces a `Last-Modified` that is in the future, because a clock was set back, by the current time (RFC 9110, 8.8.2). */
function withDate(headers: readonly string[], { changedAt }: Document, now: number): readonly string[] {
  if (changedAt <= now) return headers;
  return headers.with(headers.indexOf('Last-Modified') + 1, new Date(now).toUTCString());
}

const acceptableEncodings = memoize((acceptEncoding): readonly Encoding[] => {
  // The types of negotiator lack the options. `preferred` orders the encodings to which the client gives the same weight.
  const negotiator = new Negotiator({
    headers: { 'accept-encoding': acceptEncoding },
  }) as NegotiatorWithOptions;
  return negotiator.encodings(ENCODINGS, { preferred: ENCODINGS });
});

type NegotiatorWithOptions = Negotiator & {
  encodings(offered: readonly Encoding[], options: { preferred: readonly Encoding[] }): Encoding[];
};
