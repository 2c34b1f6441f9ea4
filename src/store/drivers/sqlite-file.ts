import { chmodSync, closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isDamaged, takeLock } from '../../sqlite/take-lock.ts';
import type { StoreOptions } from '../store.ts';
import { createTables } from './sqlite-tables.ts';
import type { UseDatabase } from './use-database.ts';

/** How long an operation waits for a program that uses the file without the lock, such as `sqlite3`. */
const BUSY_MS = 1_000;
/** How long an operation waits for another process, blocking: one takes a few milliseconds. */
const LOCK_MS = 2_000;
/** The file change counter in the header of a database, which each write transaction raises. */
const CHANGE_COUNTER = { position: 24, bytes: 4 };

type SqliteFileOptions = Pick<StoreOptions, 'onDamaged' | 'readOnly'>;

/**
 * Returns a function that runs one operation on a database file with a rollback journal. The file is opened for each operation,
 * which takes a quarter of a millisecond, so another process may replace it between two. One that is damaged is set aside, by
 * whichever process finds it first, and `onDamaged` is called there; without it, the error is thrown.
 *
 * A lock lets only one process use the file at a time, also to read: the journal belongs to a path and not to a file, so a
 * connection to a file that was set aside would take the journal of the new one for its own.
 */
export function useSqliteFile(file: string, { onDamaged, readOnly = false }: SqliteFileOptions): UseDatabase {
  function open<Value>(work: (database: DatabaseSync) => Value): Value {
    if (!readOnly) prepareFile(file);
    using database = new DatabaseSync(file, { timeout: BUSY_MS, readOnly });
    if (readOnly) return work(database);
    // EXTRA also flushes the removal of the journal: otherwise a power failure could take the last write back. Version 0.1
    // had a write-ahead log.
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA');
    createTables(database);
    return work(database);
  }

  return (work) => {
    const release = takeLock(`${file}-lock`, LOCK_MS);
    if (!release) throw new Error(`another process has been using the store for more than ${LOCK_MS} ms`);
    try {
      return open(work);
    } catch (error) {
      if (!onDamaged || !isDamaged(error) || !isDamageConfirmed(file)) throw error;
      onDamaged(setAside(file), error);
      return open(work);
    } finally {
      release();
    }
  };
}

/** A text that changes with every write of any process, and when the file becomes another one. */
export function readFileVersion(file: string): string {
  const { position, bytes } = CHANGE_COUNTER;
  const counter = Buffer.alloc(bytes);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, counter, 0, bytes, position);
  } finally {
    closeSync(opened);
  }
  return `${statSync(file, { bigint: true }).ino} ${counter.toString('hex')}`;
}

/** It has a private key and the addresses of subscriptions. SQLite gives a journal the mode of its file. */
const MODE = 0o600;

/** A file on a disk that is read-only for now can be read. */
function prepareFile(file: string): void {
  try {
    closeSync(openSync(file, 'a', MODE));
    // An earlier version let everybody read it.
    if (statSync(file).uid === process.getuid?.()) chmodSync(file, MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EROFS') throw error;
  }
}

/** SQLite reports damage also where the disk has failed to read a page once, which is no reason to give up the file. */
function isDamageConfirmed(file: string): boolean {
  using database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    return database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check !== 'ok';
  } catch (error) {
    return isDamaged(error);
  }
}

/** Moves the file and its journal. The journal goes first: a new file must not meet the journal of the old one. */
function setAside(file: string): string {
  const aside = `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/gu, '-')}`;
  for (const suffix of ['-journal', '-wal', '-shm', '']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
  }
  return aside;
}
