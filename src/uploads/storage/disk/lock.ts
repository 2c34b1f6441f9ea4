import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;
const SQLITE_CANTOPEN = 14;

/**
 * Takes the lock of a file, which it creates, and returns the function that releases it; or `locked` while this or another
 * process holds it, and `missing` when there is no folder of the file. The lock is an open transaction of SQLite, which writes
 * nothing: the operating system releases it when the process ends.
 */
export function takeLock(path: string): (() => void) | 'locked' | 'missing' {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return () => database?.close();
  } catch (error) {
    database?.close();
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
    if (code === SQLITE_CANTOPEN) return 'missing';
    if (code === SQLITE_BUSY) return 'locked';
    throw error;
  }
}
