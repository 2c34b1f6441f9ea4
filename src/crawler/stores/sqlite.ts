import { mkdir } from 'node:fs/promises';
import path from 'node:path';
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
import { type Entry, openValues, writeValues } from './values.ts';

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
        writeAll(file, entries);
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
      const write = 'INSERT OR REPLACE INTO keyv (key, value) VALUES (?, ?)';
      file.use((database) => {
        database.prepare(write).run(PROBE, 'x'.repeat(bytes));
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

function writeAll(file: SqliteFile, entries: readonly Entry[]): void {
  file.use((database) => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const statement = database.prepare('INSERT OR REPLACE INTO keyv (key, value) VALUES (?, ?)');
      for (const { key, value } of entries) statement.run(key, value);
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  });
}

function openRows(file: SqliteFile): Rows {
  const put = `INSERT INTO subscriptions (key, text) SELECT $key, $text
    WHERE EXISTS (SELECT 1 FROM subscriptions WHERE key = $key) OR (SELECT count(*) FROM subscriptions) < $max
    ON CONFLICT (key) DO UPDATE SET text = excluded.text`;
  const after = 'SELECT key, text FROM subscriptions WHERE key > ? ORDER BY key LIMIT ?';
  return {
    async get(key) {
      const select = 'SELECT text FROM subscriptions WHERE key = ?';
      const row = file.use((database) => database.prepare(select).get(key));
      return row && String(row.text);
    },
    async put($key, $text, $max) {
      const { changes } = file.use((database) => database.prepare(put).run({ $key, $text, $max }));
      return Number(changes) > 0;
    },
    async remove(key) {
      file.use((database) => database.prepare('DELETE FROM subscriptions WHERE key = ?').run(key));
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
