import { UNKNOWN_FAILURE } from '../domain/health.ts';

/** By the code of Node's system errors. */
const SYSTEM_REASONS: Record<string, string> = {
  ENOSPC: 'there is no room left on the disk',
  EDQUOT: 'there is no room left on the disk',
  EACCES: 'it may not be written to',
  EROFS: 'it may not be written to',
  ECONNREFUSED: 'it cannot be reached',
  ECONNRESET: 'the connection broke',
  ENOTFOUND: 'its name is not known',
  ETIMEDOUT: 'it does not answer',
};

/** The primary result codes of SQLite (https://sqlite.org/rescode.html). */
const SQLITE = {
  BUSY: 5,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
} as const;

const SQLITE_REASONS: Record<number, string> = {
  [SQLITE.BUSY]: 'it is locked',
  [SQLITE.READONLY]: 'it may not be written to',
  [SQLITE.IOERR]: 'the disk failed',
  [SQLITE.CORRUPT]: 'it is damaged',
  [SQLITE.FULL]: 'there is no room left on the disk',
  [SQLITE.CANTOPEN]: 'it cannot be opened',
  [SQLITE.NOTADB]: 'it is damaged',
};
/** An extended result code has the primary one in its lowest byte. */
const PRIMARY_CODE = 0xff;

/** Why a store fails, for the public: without addresses and paths. The log has the full error. */
export function storeFailureReason(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Node's system errors and SQLite's add these properties, which Error does not declare.
    const { code = '', errcode = 0 } = cause as Error & { code?: string; errcode?: number };
    const reason = SYSTEM_REASONS[code] ?? SQLITE_REASONS[errcode & PRIMARY_CODE];
    if (reason) return reason;
  }
  return UNKNOWN_FAILURE;
}
