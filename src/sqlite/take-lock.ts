import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Result codes of SQLite. */
const BUSY = 5;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/**
 * Takes a lock between processes, on a file without content, which it creates; undefined when it is still held after
 * `waitMs`. The wait blocks the thread. The lock is an open transaction, which writes nothing: the operating system releases
 * it when the process ends, so a crash needs neither a timeout nor a cleanup.
 */
export function takeLock(file: string, waitMs: number): (() => void) | undefined {
  const database = new DatabaseSync(file, { timeout: waitMs });
  try {
    // Otherwise a journal would be created beside the file.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if (resultCode(error) === BUSY) return undefined;
    if (!isDamaged(error)) throw error;
    // Something else has written to it. It is truncated rather than replaced, so that other processes go on locking the same
    // file. No process holds the lock now, because the file would be busy then.
    truncateSync(file);
    return takeLock(file, waitMs);
  }
}

/** Whether the file itself is damaged, so that another attempt would fail too. */
export function isDamaged(error: unknown): boolean {
  return [CORRUPT, NOT_A_DATABASE].includes(resultCode(error));
}

/** The primary result code of SQLite, which is the lowest byte of an extended one. */
export function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}
