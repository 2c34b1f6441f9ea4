import { excerpt } from './text.ts';

/**
 * Every way in which a request or a refresh can fail that somebody outside should hear of. What is not one of
 * these is a defect, told to the client as `internal` and to the operator in full.
 */
export const ERROR_CODES = [
  'invalid-request',
  'not-found',
  'method-not-allowed',
  'precondition-failed',
  'unsupported-media-type',
  'range-not-satisfiable',
  'too-large',
  'too-many-requests',
  'expired',
  'storage-full',
  'storage-down',
  'not-acceptable',
  'not-ready',
  'overloaded',
  'source-blocked',
  'source-moved',
  'source-changed',
  'source-down',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * The longest message. Some quote what a stranger wrote (a title, an address, a path), so every message is cleaned and
 * bounded here: it goes to terminals, logs and answers.
 */
const MAX_MESSAGE = 1_000;

/** An expected failure. `message` is shown to people: it says what is wrong and what to do next. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** How long to wait before another try, where that is known. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(excerpt(message, MAX_MESSAGE), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The text of anything thrown, with what it was caused by: libraries hide the useful half in `cause`. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message || ('code' in error ? String(error.code) : error.name);
  if (error.cause === undefined || error instanceof AppError) return own;
  const detail = describeError(error.cause);
  return own.includes(detail) ? own : `${own} (${detail})`;
}
