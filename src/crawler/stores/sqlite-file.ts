import { existsSync, renameSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isDamaged } from './sqlite-errors.ts';
import { takeLock } from './sqlite-lock.ts';

/** How long a writer waits for another one, blocking: a write takes a few milliseconds. */
const BUSY_MS = 1_000;
const LOCK_MS = 2_000;
const TABLE = 'CREATE TABLE IF NOT EXISTS keyv (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID';

export interface SqliteFile {
  read<Value>(work: (database: DatabaseSync) => Value): Value;
  write<Value>(work: (database: DatabaseSync) => Value): Value;
  /** A number that changes with every write of any process. */
  version(): string;
  close(): void;
}

interface Opened {
  reader: DatabaseSync;
  inode: bigint | undefined;
}

/**
 * A database file with a write-ahead log that may be replaced while it is open. One that is damaged is set aside, by
 * whichever process finds it first, and `onDamaged` is called there; without it, the error is thrown. Every other
 * process notices that the file has become another one, and opens that.
 *
 * Between operations only a read-only connection stays open: when one that can write closes, it would remove the log of a
 * file that has replaced its own. A lock lets only one process open or write at a time. Opening a connection for each
 * write costs some tenths of a millisecond, a few times a refresh. A rollback journal would not need this, but readers
 * would wait for each writer.
 */
export function openSqliteFile(
  file: string,
  onDamaged?: (aside: string, error: unknown) => void,
): SqliteFile {
  let opened: Opened | undefined;
  let isClosed = false;

  function reader(): DatabaseSync {
    if (opened && inodeOf(file) === opened.inode) return opened.reader;
    withLock(file, open);
    return opened!.reader;
  }

  function open(): void {
    opened?.reader.close();
    opened = undefined;
    const writer = openWriter(file);
    try {
      opened = { reader: new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS }), inode: inodeOf(file) };
    } finally {
      writer.close();
    }
  }

  function use<Value>(work: () => Value): Value {
    if (isClosed) throw new Error('the store is closed');
    const inode = inodeOf(file);
    try {
      return work();
    } catch (error) {
      if (!isDamaged(error) || !onDamaged) throw error;
      withLock(file, () => {
        opened?.reader.close();
        opened = undefined;
        // Another process may have replaced the file already: the file there now is not the damaged one.
        if (inodeOf(file) === inode) {
          if (!isDamageConfirmed(file)) throw error;
          onDamaged(setAside(file), error);
        }
        open();
      });
      return work();
    }
  }

  function write<Value>(work: (database: DatabaseSync) => Value): Value {
    return withLock(file, () => {
      const writer = openWriter(file);
      try {
        return work(writer);
      } finally {
        writer.close();
      }
    });
  }

  use(reader);
  return {
    read: (work) => use(() => work(reader())),
    write(work) {
      return use(() => {
        // An open reader keeps this writer from being the last to close, which would empty the log each time.
        reader();
        return write(work);
      });
    },
    version: () =>
      use(() => `${reader().prepare('PRAGMA data_version').get()?.data_version} ${opened?.inode}`),
    close() {
      isClosed = true;
      if (opened && inodeOf(file) === opened.inode) emptyLog(file, opened.reader);
      if (opened?.reader.isOpen) opened.reader.close();
      opened = undefined;
    },
  };
}

/** Empties the log when the last writer closes, so that a copy of the file alone is complete. */
function emptyLog(file: string, reader: DatabaseSync): void {
  try {
    withLock(file, () => {
      const writer = openWriter(file);
      reader.close();
      writer.close();
    });
  } catch {
    // The log stays, and is read by the next process.
  }
}

function openWriter(file: string): DatabaseSync {
  checkReadable(file);
  const writer = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    writer.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${TABLE}`);
    return writer;
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** A connection that can write removes the log of a file that it cannot read. */
function checkReadable(file: string): void {
  if (!existsSync(file)) return;
  const reader = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    reader.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    reader.close();
  }
}

/** SQLite reports damage also where the disk has failed to read a page once, which is no reason to give up the file. */
function isDamageConfirmed(file: string): boolean {
  let reader: DatabaseSync | undefined;
  try {
    reader = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    return reader.prepare('PRAGMA integrity_check(1)').get()?.integrity_check !== 'ok';
  } catch (error) {
    return isDamaged(error);
  } finally {
    reader?.close();
  }
}

/** Moves the file and its log. The log goes first: a new file must not meet the log of the old one. */
function setAside(file: string): string {
  const aside = `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/gu, '-')}`;
  for (const suffix of ['-wal', '-shm', '']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
  }
  return aside;
}

function withLock<Value>(file: string, work: () => Value): Value {
  const release = takeLock(`${file}-lock`, LOCK_MS);
  if (!release) throw new Error(`another process has been writing for more than ${LOCK_MS} ms`);
  try {
    return work();
  } finally {
    release();
  }
}

function inodeOf(file: string): bigint | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}
