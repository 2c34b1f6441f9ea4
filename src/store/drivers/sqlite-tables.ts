import type { DatabaseSync } from 'node:sqlite';
import { type Lease, LeaseLostError, type RowKind, type Rows, type Store } from '../store.ts';
import { type ContentTables, openTableContents } from './sqlite-contents.ts';
import { inOneStep, type UseDatabase } from './use-database.ts';
import { openValues, writeValues } from './values.ts';

/** The index of `subscriptions` has the keys alone, so to count them reads no text. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS keyv (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS subscriptions (key TEXT PRIMARY KEY, text TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS subscription_days (key TEXT PRIMARY KEY, day INTEGER NOT NULL) WITHOUT ROWID`;

/** The tables of each kind of rows: their texts, and the days on which they were last put. */
const ROW_TABLES: Record<RowKind, ContentTables> = {
  subscriptions: { texts: 'subscriptions', textColumn: 'text', keyPrefix: '', days: 'subscription_days' },
};

/** The namespace of the values. */
const VALUES = 'keyv';
const VALUE_TABLE: ContentTables = { texts: 'keyv', textColumn: 'value', keyPrefix: `${VALUES}:` };
/** The row of a probe, which is no value. */
const PROBE = 'probe';
const WRITE = 'INSERT OR REPLACE INTO keyv (key, value) VALUES (?, ?)';
const REMOVE = 'DELETE FROM keyv WHERE key = ?';

export function createTables(database: DatabaseSync): void {
  database.exec(TABLES);
}

/** What a store keeps in a database. `holdLease`: a lease until it is released, which calls `unlock`. */
export function openTables(use: UseDatabase): Pick<
  Store,
  'values' | 'subscriptions' | 'probe' | 'contents'
> & {
  holdLease(unlock: () => void): Lease;
} {
  return {
    contents: openTableContents(use, { values: VALUE_TABLE, ...ROW_TABLES }),
    values: openValues(VALUES, async (key) => {
      const row = use((database) => database.prepare('SELECT value FROM keyv WHERE key = ?').get(key));
      return row && String(row.value);
    }),
    subscriptions: openRows(use),
    async probe(bytes) {
      use((database) => {
        database.prepare(WRITE).run(PROBE, 'x'.repeat(bytes));
        database.prepare(REMOVE).run(PROBE);
      });
    },
    holdLease(unlock) {
      let isHeld = true;
      return {
        async write(values) {
          await writeValues(VALUES, values, async (entries) => {
            if (!isHeld) throw new LeaseLostError();
            inOneStep(use, (database) => {
              const write = database.prepare(WRITE);
              const remove = database.prepare(REMOVE);
              for (const { key, value } of entries) {
                if (value === undefined) remove.run(key);
                else write.run(key, value);
              }
            });
          });
        },
        isHeld: async () => isHeld,
        async release() {
          if (isHeld) unlock();
          isHeld = false;
        },
      };
    },
  };
}

const GET = 'SELECT key FROM subscriptions WHERE key = ?';
const AFTER = 'SELECT key, text FROM subscriptions WHERE key > ? ORDER BY key LIMIT ?';
/** Rows of an earlier version have no day: they get one before any is forgotten. */
const GIVE_DAYS = 'INSERT OR IGNORE INTO subscription_days SELECT key, ? FROM subscriptions';
const FORGET_UNUSED = [
  'DELETE FROM subscriptions WHERE key IN (SELECT key FROM subscription_days WHERE day < ?)',
  'DELETE FROM subscription_days WHERE day < ?',
];

function openRows(use: UseDatabase): Rows {
  return {
    async put(key, text, { max, day, unusedSince }) {
      return inOneStep(use, (database) => {
        const count = () => Number(database.prepare('SELECT count(*) AS n FROM subscriptions').get()?.n);
        const isNew = database.prepare(GET).get(key) === undefined;
        if (isNew && count() >= max) {
          database.prepare(GIVE_DAYS).run(day);
          for (const statement of FORGET_UNUSED) database.prepare(statement).run(unusedSince);
        }
        if (isNew && count() >= max) return false;
        database.prepare('INSERT OR REPLACE INTO subscriptions (key, text) VALUES (?, ?)').run(key, text);
        database.prepare('INSERT OR REPLACE INTO subscription_days (key, day) VALUES (?, ?)').run(key, day);
        return true;
      });
    },
    async remove(key) {
      inOneStep(use, (database) => {
        for (const table of ['subscriptions', 'subscription_days'])
          database.prepare(`DELETE FROM ${table} WHERE key = ?`).run(key);
      });
    },
    async after(key, limit) {
      const rows = use((database) => database.prepare(AFTER).all(key, limit));
      return rows.map((row) => [String(row.key), String(row.text)]);
    },
  };
}
