import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { LeaseName, Release, Rows, Store, StoreOptions } from '../snapshot-store.ts';
import { createKeyv } from './keyv.ts';
import { openSqliteFile, type SqliteFile } from './sqlite-file.ts';
import { takeLock } from './sqlite-lock.ts';

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
  const locks = new Map<() => void, LeaseName>();
  let isClosed = false;

  async function lease(name: LeaseName = 'refresh'): Promise<Release | undefined> {
    if (isClosed) throw new Error('the store is closed');
    const unlock = takeLock(`${filePath}-${name === 'refresh' ? 'lease' : `lease-${name}`}`, 0);
    if (!unlock) return undefined;
    locks.set(unlock, name);
    return async () => {
      if (locks.delete(unlock)) unlock();
    };
  }

  return {
    keyv: openValues(file),
    subscriptions: openRows(file),
    lease,
    // The operating system takes a lock from no process that lives.
    holds: async (name) => [...locks.values()].includes(name),
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
    shared: true,
    async close() {
      isClosed = true;
      for (const timer of watches) clearInterval(timer);
      for (const unlock of locks.keys()) unlock();
      locks.clear();
      file.close();
    },
  };
}

function openValues(file: SqliteFile): Store['keyv'] {
  const select = 'SELECT value FROM keyv WHERE key = ?';
  const insert =
    'INSERT INTO keyv (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
  const texts = {
    async get(key: string) {
      const row = file.use((database) => database.prepare(select).get(key));
      return row && String(row.value);
    },
    async set(key: string, text: string) {
      file.use((database) => database.prepare(insert).run(key, text));
    },
  };
  return createKeyv(texts, 'keyv');
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
