/** Reasons that may be shown to the public, by error code. The log has the full error. */
const REASONS: Record<string, string> = {
  ENOSPC: 'there is no room left on the disk',
  EDQUOT: 'there is no room left on the disk',
  EACCES: 'it may not be written to',
  EROFS: 'it may not be written to',
  ECONNREFUSED: 'it cannot be reached',
  ECONNRESET: 'the connection broke',
  ENOTFOUND: 'its name is not known',
  ETIMEDOUT: 'it does not answer',
};

/** By the primary result code of SQLite. */
const SQLITE_REASONS: Record<number, string> = {
  5: 'it is locked',
  8: 'it may not be written to',
  10: 'the disk failed',
  11: 'it is damaged',
  13: 'there is no room left on the disk',
  14: 'it cannot be opened',
  26: 'it is damaged',
};

/** Why a store fails, without addresses and paths. */
export function publicReason(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Node's system errors and SQLite's add these properties, which Error does not declare.
    const { code = '', errcode = 0 } = cause as Error & { code?: string; errcode?: number };
    const reason = REASONS[code] ?? SQLITE_REASONS[errcode & 0xff];
    if (reason) return reason;
  }
  return 'it does not answer as it should; the log says why';
}
