import { EventEmitter } from 'node:events';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { KeyvStoreAdapter } from 'keyv';

/**
 * A Keyv storage adapter over the SQLite that is built into Node. Keys arrive with their namespace before a colon;
 * an expiry is in the value, where Keyv reads it. Nothing is caught: a failure is Keyv's to pass on.
 */
export class KeyvSqlite extends EventEmitter implements KeyvStoreAdapter {
  readonly opts = { dialect: 'sqlite' };
  namespace?: string;
  readonly #database: DatabaseSync;
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #delete: StatementSync;

  constructor(database: DatabaseSync) {
    super();
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec(
      'CREATE TABLE IF NOT EXISTS keyv (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
    );
    this.#database = database;
    this.#get = database.prepare('SELECT value FROM keyv WHERE key = ?');
    this.#set = database.prepare(
      'INSERT INTO keyv (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    );
    this.#delete = database.prepare('DELETE FROM keyv WHERE key = ?');
  }

  // biome-ignore lint/suspicious/noExplicitAny: Keyv's own type: what it stored, before it is deserialized
  async get(key: string): Promise<any> {
    return this.#get.get(key)?.value;
  }

  async set(key: string, value: string): Promise<boolean> {
    this.#set.run(key, value);
    return true;
  }

  async delete(key: string): Promise<boolean> {
    return this.#delete.run(key).changes > 0;
  }

  /** Only what is in this namespace. */
  async clear(): Promise<void> {
    const prefix = this.namespace ? `${this.namespace}:` : '';
    this.#database.prepare('DELETE FROM keyv WHERE substr(key, 1, ?) = ?').run(prefix.length, prefix);
  }
}
