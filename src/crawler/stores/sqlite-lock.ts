import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const BUSY = 5;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/**
 * Takes a lock between processes, or returns undefined when another process still holds it after `waitMs`. The wait
 * blocks the thread. The lock is an open transaction on a file of its own: the operating system releases it when the
 * process ends, so a crash needs neither a timeout nor a cleanup.
 */
export function takeLock(file: string, waitMs: number): (() => void) | undefined {
  try {
    return begin(file, waitMs);
  } catch (error) {
    if (resultCode(error) === BUSY) return undefined;
    if (!isDamaged(error)) throw error;
    // The file has no content. It is truncated rather than replaced, so that other processes go on locking the same
    // file. No process holds the lock now, because the file would be busy then.
    truncateSync(file);
    return begin(file, waitMs);
  }
}

function begin(file: string, waitMs: number): () => void {
  const database = new DatabaseSync(file, { timeout: waitMs });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether the file itself is damaged, so that another attempt would fail too. */
export function isDamaged(error: unknown): boolean {
  return [CORRUPT, NOT_A_DATABASE].includes(resultCode(error));
}

/** The primary result code of SQLite, which is the lowest byte of an extended one. */
function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}
