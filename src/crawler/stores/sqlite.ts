import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { takeLock } from '../../sqlite/take-lock.ts';
import {
  type Lease,
  LeaseLostError,
  type LeaseName,
  type Rows,
  type Store,
  type StoreOptions,
} from '../store.ts';
import { openSqliteFile, type SqliteFile } from './sqlite-file.ts';
import { openValues, writeValues } from './values.ts';

/** How often the store is polled for writes, which takes some tenths of a millisecond. */
const POLL_INTERVAL_MS = 500;

/**
 * `sqlite:PATH`, the embedded default: one file with a rollback journal, which no crash can damage. Any number of
 * processes on one machine can share it. With `onDamaged`, a damaged file is set aside; without it, the error is thrown.
 */
export async function openSqliteStore(url: string, { onDamaged }: StoreOptions = {}): Promise<Store> {
  const filePath = path.resolve(url.slice('sqlite:'.length));
  await mkdir(path.dirname(filePath), { recursive: true });
  const file = openSqliteFile(filePath, onDamaged);
  const watches = new Set<NodeJS.Timeout>();
  const leases = new Set<Lease>();
  let isClosed = false;
  const read = async (key: string) => {
    const row = file.use((database) => database.prepare('SELECT value FROM keyv WHERE key = ?').get(key));
    return row && String(row.value);
  };

  /** The operating system takes a lock from no process that lives. */
  async function lease(name: LeaseName): Promise<Lease | undefined> {
    if (isClosed) throw new Error('the store is closed');
    const unlock = takeLock(`${filePath}-${name === 'refresh' ? 'lease' : `lease-${name}`}`, 0);
    if (!unlock) return undefined;
    const taken: Lease = {
      write: writeValues({ read }, async (entries) => {
        if (!leases.has(taken)) throw new LeaseLostError();
        inOneStep(file, (database) => {
          const statement = database.prepare(WRITE);
          for (const { key, value } of entries) statement.run(key, value);
        });
      }),
      isHeld: async () => leases.has(taken),
      async release() {
        if (leases.delete(taken)) unlock();
      },
    };
    leases.add(taken);
    return taken;
  }

  return {
    keyv: openValues({ read }),
    subscriptions: openRows(file),
    lease,
    watch(onChange) {
      let last = versionOf(file);
      const timer = setInterval(() => {
        const now = versionOf(file);
        if (now === last) return;
        last = now;
        onChange();
      }, POLL_INTERVAL_MS);
      watches.add(timer);
      return () => clearInterval(timer);
    },
    async probe(bytes) {
      file.use((database) => {
        database.prepare(WRITE).run(PROBE, 'x'.repeat(bytes));
        database.prepare('DELETE FROM keyv WHERE key = ?').run(PROBE);
      });
    },
    shared: true,
    async close() {
      isClosed = true;
      for (const timer of watches) clearInterval(timer);
      await Promise.all([...leases].map((taken) => taken.release()));
      file.close();
    },
  };
}

/** The row of a probe. No value has this key: those of values have a namespace. */
const PROBE = 'probe';

const WRITE = 'INSERT OR REPLACE INTO keyv (key, value) VALUES (?, ?)';

/** All that `work` writes, or nothing. */
function inOneStep<Value>(file: SqliteFile, work: (database: DatabaseSync) => Value): Value {
  return file.use((database) => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const value = work(database);
      database.exec('COMMIT');
      return value;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  });
}

/** Rows of an earlier version have no day: they get one before any is forgotten. */
const FORGET_UNUSED = `
  INSERT OR IGNORE INTO subscription_days SELECT key, $day FROM subscriptions;
  DELETE FROM subscriptions WHERE key IN (SELECT key FROM subscription_days WHERE day < $unusedSince);
  DELETE FROM subscription_days WHERE day < $unusedSince`;

function openRows(file: SqliteFile): Rows {
  const get = 'SELECT text FROM subscriptions WHERE key = ?';
  const after = 'SELECT key, text FROM subscriptions WHERE key > ? ORDER BY key LIMIT ?';
  const touch = 'INSERT OR REPLACE INTO subscription_days (key, day) VALUES (?, ?)';
  return {
    async get(key) {
      const row = file.use((database) => database.prepare(get).get(key));
      return row && String(row.text);
    },
    async put(key, text, { max, day, unusedSince }) {
      return inOneStep(file, (database) => {
        const count = () => Number(database.prepare('SELECT count(*) AS n FROM subscriptions').get()?.n);
        const isNew = database.prepare(get).get(key) === undefined;
        if (isNew && count() >= max) {
          for (const statement of FORGET_UNUSED.split(';')) {
            const prepared = database.prepare(statement);
            prepared.setAllowUnknownNamedParameters(true);
            prepared.run({ day, unusedSince });
          }
        }
        if (isNew && count() >= max) return false;
        database.prepare('INSERT OR REPLACE INTO subscriptions (key, text) VALUES (?, ?)').run(key, text);
        database.prepare(touch).run(key, day);
        return true;
      });
    },
    async touch(keys, day) {
      inOneStep(file, (database) => {
        const statement = database.prepare(touch);
        for (const key of keys) statement.run(key, day);
      });
    },
    async remove(key) {
      inOneStep(file, (database) => {
        for (const table of ['subscriptions', 'subscription_days'])
          database.prepare(`DELETE FROM ${table} WHERE key = ?`).run(key);
      });
    },
    async after(key, limit) {
      const rows = file.use((database) => database.prepare(after).all(key, limit));
      return rows.map((row) => [String(row.key), String(row.text)]);
    },
  };
}

/** A file that cannot be read counts as changed, so that the read that follows reports the error. */
function versionOf({ version }: { version: () => string }): string {
  try {
    return version();
  } catch (error) {
    return String(error);
  }
}
