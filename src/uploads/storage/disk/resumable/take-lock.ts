import { DatabaseSync } from 'node:sqlite';
import { uploadLocked } from '../../../resumable-storage.ts';

/** SQLITE_BUSY, in the lowest byte of an error code. */
const BUSY = 5;

/**
 * Takes the lock of an existing file. Returns the function that releases it. Throws AppError `locked` while this or another
 * process holds it. The lock is an open transaction of SQLite, which writes nothing: the operating system releases it when
 * the process ends.
 */
export function takeLock(path: string): () => void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    const isBusy = error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === BUSY;
    throw isBusy ? uploadLocked() : error;
  }
}
