import { excerpt } from './text.ts';

/**
 * Every expected failure of a request or a refresh. Any other error is a defect: the client sees `internal`, the log
 * has the whole error.
 */
export const ERROR_CODES = [
  'invalid-request',
  'unauthorized',
  'blocked',
  'not-found',
  'method-not-allowed',
  'not-acceptable',
  'conflict',
  'expired',
  'removed',
  'precondition-failed',
  'too-large',
  'unsupported-media-type',
  'range-not-satisfiable',
  'malware-found',
  'channel-refused',
  'locked',
  'too-many-requests',
  'removed-legally',
  'checksum-mismatch',
  'channel-down',
  'not-ready',
  'unscannable',
  'overloaded',
  'source-blocked',
  'source-moved',
  'source-changed',
  'source-down',
  'storage-down',
  'limiter-down',
  'scanner-down',
  'clock-ahead',
  'clock-unset',
  'internal',
  'storage-full',
  'share-full',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * Messages may quote untrusted text (a title, an address, a path) and go to terminals, logs and responses, so each is
 * cleaned and cut to this many characters.
 */
const MAX_MESSAGE_LENGTH = 1_000;

/** An expected failure. `message` is public: it says what is wrong and what to do next. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** How long to wait before the next attempt, if the other side said so. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(excerpt(message, MAX_MESSAGE_LENGTH), options);
    this.name = 'AppError';
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A request that is wrong in itself: the message says how to write it. */
export function invalidRequest(message: string): AppError {
  return new AppError('invalid-request', message);
}

/** The message of anything thrown, with its cause, where libraries put the useful half. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message || ('code' in error ? String(error.code) : error.name);
  if (error.cause === undefined || error instanceof AppError) return own;
  const detail = describeError(error.cause);
  return own.includes(detail) ? own : `${own} (${detail})`;
}

/** The code of an error or of its nearest cause that has one, such as `ECONNREFUSED`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : errorCode(error.cause);
}

/** Whether the source gave no page at all: there was nothing to judge. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'source-down' || error.code === 'source-blocked');
}
