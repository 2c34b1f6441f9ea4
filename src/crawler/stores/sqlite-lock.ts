import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isBusy, isDamaged } from './sqlite-errors.ts';

/**
 * Takes a lock between processes, or returns undefined when it is still held after `waitMs`, which block. It is an open
 * transaction on a file of its own: the operating system ends it with the process, however that ends, so there is no
 * term to wait for and nothing to clean up.
 */
export function takeLock(file: string, waitMs: number): (() => void) | undefined {
  try {
    return begin(file, waitMs);
  } catch (error) {
    if (isBusy(error)) return undefined;
    if (!isDamaged(error)) throw error;
    // It holds nothing. Emptied in place, it stays the file that other processes lock; nobody holds it now, or it
    // would have been busy.
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
