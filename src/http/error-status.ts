import type { ErrorCode } from '../domain/errors.ts';

/** The status of each error code. */
export const STATUS_OF: Record<ErrorCode, number> = {
  'invalid-request': 400,
  blocked: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  conflict: 409,
  expired: 410,
  removed: 410,
  'precondition-failed': 412,
  'too-large': 413,
  'unsupported-media-type': 415,
  'range-not-satisfiable': 416,
  'malware-found': 422,
  locked: 423,
  'too-many-requests': 429,
  'removed-legally': 451,
  // Defined by the protocol for resumable uploads.
  'checksum-mismatch': 460,
  'not-ready': 503,
  overloaded: 503,
  'source-blocked': 503,
  'source-moved': 503,
  'source-changed': 503,
  'source-down': 503,
  'storage-down': 503,
  'limiter-down': 503,
  'scanner-down': 503,
  internal: 500,
  'storage-full': 507,
};
