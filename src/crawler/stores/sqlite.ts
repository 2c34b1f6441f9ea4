import { EventEmitter } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import type { LeaseName, Release, Rows, Store, StoreOptions } from '../snapshot-store.ts';
import { openSqliteFile, type SqliteFile, takeLock } from './sqlite-file.ts';

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
    keyv: new Keyv(new KeyvSqlite(file), { throwOnErrors: true }),
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

/**
 * A Keyv storage adapter over the SQLite that is built into Node. Keyv prefixes keys with a namespace and a colon, and
 * keeps the expiry in the value. Errors are thrown to Keyv.
 */
class KeyvSqlite extends EventEmitter implements KeyvStoreAdapter {
  readonly opts = { dialect: 'sqlite' };
  namespace?: string;
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    super();
    this.#file = file;
  }

  // biome-ignore lint/suspicious/noExplicitAny: Keyv's own type of a value that is not deserialized yet
  async get(key: string): Promise<any> {
    return this.#file.use(
      (database) => database.prepare('SELECT value FROM keyv WHERE key = ?').get(key)?.value,
    );
  }

  async set(key: string, value: string): Promise<boolean> {
    const statement =
      'INSERT INTO keyv (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
    this.#file.use((database) => database.prepare(statement).run(key, value));
    return true;
  }

  async delete(key: string): Promise<boolean> {
    const statement = 'DELETE FROM keyv WHERE key = ?';
    return this.#file.use((database) => Number(database.prepare(statement).run(key).changes)) > 0;
  }

  /** Only what is in this namespace. */
  async clear(): Promise<void> {
    const prefix = this.namespace ? `${this.namespace}:` : '';
    const statement = 'DELETE FROM keyv WHERE substr(key, 1, ?) = ?';
    this.#file.use((database) => database.prepare(statement).run(prefix.length, prefix));
  }
}
