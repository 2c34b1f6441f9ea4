import { EventEmitter } from 'node:events';
import type { KeyvStoreAdapter } from 'keyv';
import type { SqliteFile } from './sqlite-file.ts';

/**
 * A Keyv storage adapter over the SQLite that is built into Node. Keyv prefixes keys with a namespace and a colon, and
 * keeps the expiry in the value. Errors are thrown to Keyv.
 */
export class KeyvSqlite extends EventEmitter implements KeyvStoreAdapter {
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
