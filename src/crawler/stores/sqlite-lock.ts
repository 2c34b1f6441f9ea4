import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isBusy, isDamaged } from './sqlite-errors.ts';

/**
 * Takes a lock between processes, or returns undefined when another process still holds it after `waitMs`. The wait
 * blocks the thread. The lock is an open transaction on a file of its own: the operating system releases it when the
 * process ends, so a crash needs neither a timeout nor a cleanup.
 */
export function takeLock(file: string, waitMs: number): (() => void) | undefined {
  try {
    return begin(file, waitMs);
  } catch (error) {
    if (isBusy(error)) return undefined;
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
