import { chmodSync, closeSync, existsSync, openSync, renameSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isDamaged, resultCode, takeLock } from '../../sqlite/take-lock.ts';
import { createTables, type UseDatabase } from './sqlite-tables.ts';

/** A result code of SQLite. */
const READ_ONLY = 8;

/** How long an operation waits for a program that uses the file without the lock, such as `sqlite3`. */
const BUSY_MS = 1_000;
/** How long an operation waits for another process, blocking: one takes a few milliseconds. */
const LOCK_MS = 2_000;
export interface SqliteFile {
  /** Runs one operation on the database. No other process uses it meanwhile. */
  use: UseDatabase;
  /** A text that changes with every write of any process. */
  version(): string;
  close(): void;
}

/**
 * A database file with a rollback journal that may be replaced while it is open. One that is damaged is set aside, by
 * whichever process finds it first, and `onDamaged` is called there; without it, the error is thrown. Every other
 * process notices that the file has become another one, and opens that.
 *
 * A lock lets only one process use the file at a time, also to read: the journal belongs to a path and not to a file, so a
 * connection to a file that was set aside would take the journal of the new one for its own.
 */
export function openSqliteFile(
  file: string,
  onDamaged?: (aside: string, error: unknown) => void,
): SqliteFile {
  let database: DatabaseSync | undefined;
  let inode: bigint | undefined;
  let isClosed = false;

  function connect(): DatabaseSync {
    if (database && inodeOf(file) === inode) return database;
    disconnect();
    database = openDatabase(file);
    inode = inodeOf(file);
    return database;
  }

  function disconnect(): void {
    database?.close();
    database = undefined;
  }

  function use<Value>(work: (database: DatabaseSync) => Value): Value {
    if (isClosed) throw new Error('the store is closed');
    const release = takeLock(`${file}-lock`, LOCK_MS);
    if (!release) throw new Error(`another process has been using the store for more than ${LOCK_MS} ms`);
    try {
      return work(connect());
    } catch (error) {
      // The next use finds out whether it can be written again.
      if (resultCode(error) === READ_ONLY) disconnect();
      if (!onDamaged || !isDamaged(error) || !isDamageConfirmed(file)) throw error;
      disconnect();
      onDamaged(setAside(file), error);
      return work(connect());
    } finally {
      release();
    }
  }

  use(() => {});
  return {
    use,
    version: () => `${use(readVersion)} ${inode}`,
    close() {
      isClosed = true;
      disconnect();
    },
  };
}

/** It has a private key and the addresses of subscriptions. SQLite gives a journal the mode of its file. */
const MODE = 0o600;

function openDatabase(file: string): DatabaseSync {
  prepareFile(file);
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    // EXTRA also flushes the removal of the journal: otherwise a power failure could take the last write back. Version 0.1
    // had a write-ahead log.
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA');
    createTables(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

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

/** `data_version` counts the writes of other connections, `total_changes` those of this one. */
function readVersion(database: DatabaseSync): string {
  const version = database
    .prepare('SELECT data_version, total_changes() AS own FROM pragma_data_version')
    .get();
  return `${version?.data_version} ${version?.own}`;
}

/** SQLite reports damage also where the disk has failed to read a page once, which is no reason to give up the file. */
function isDamageConfirmed(file: string): boolean {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    return database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check !== 'ok';
  } catch (error) {
    return isDamaged(error);
  } finally {
    database.close();
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

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}
