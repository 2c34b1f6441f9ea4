import type { DatabaseSync } from 'node:sqlite';
import { type Lease, LeaseLostError, type RowKind, type Rows, type Store } from '../store.ts';
import { type ContentTables, openTableContents } from './sqlite-contents.ts';
import { inOneStep, type UseDatabase } from './use-database.ts';
import { openValues, writeValues } from './values.ts';

/** The tables of each kind of rows: their texts, and the days on which they were last put. */
const ROW_TABLES = {
  subscriptions: { texts: 'subscriptions', textColumn: 'text', keyPrefix: '', days: 'subscription_days' },
  channels: { texts: 'channels', textColumn: 'text', keyPrefix: '', days: 'channel_days' },
} satisfies Record<RowKind, ContentTables>;

type RowTables = (typeof ROW_TABLES)[RowKind];

/** The index of a table of texts has the keys alone, so to count them reads no text. */
const createRows = ({ texts, days }: RowTables) => `
  CREATE TABLE IF NOT EXISTS ${texts} (key TEXT PRIMARY KEY, text TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS ${days} (key TEXT PRIMARY KEY, day INTEGER NOT NULL) WITHOUT ROWID;`;

const TABLES = `
  CREATE TABLE IF NOT EXISTS keyv (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  ${Object.values(ROW_TABLES).map(createRows).join('')}`;

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
export function openTables(use: UseDatabase): Pick<Store, 'values' | RowKind | 'probe' | 'contents'> & {
  holdLease(unlock: () => void): Lease;
} {
  return {
    contents: openTableContents(use, { values: VALUE_TABLE, ...ROW_TABLES }),
    values: openValues(VALUES, async (key) => {
      const row = use((database) => database.prepare('SELECT value FROM keyv WHERE key = ?').get(key));
      return row && String(row.value);
    }),
    subscriptions: openRows(use, ROW_TABLES.subscriptions),
    channels: openRows(use, ROW_TABLES.channels),
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

function openRows(use: UseDatabase, { texts, days }: RowTables): Rows {
  const COUNT = `SELECT count(*) AS count FROM ${texts}`;
  const GET = `SELECT text FROM ${texts} WHERE key = ?`;
  const AFTER = `SELECT key, text FROM ${texts} WHERE key > ? ORDER BY key LIMIT ?`;
  /** Rows of an earlier version have no day: they get one before any is forgotten. */
  const GIVE_DAYS = `INSERT OR IGNORE INTO ${days} SELECT key, ? FROM ${texts}`;
  const FORGET_UNUSED = [
    `DELETE FROM ${texts} WHERE key IN (SELECT key FROM ${days} WHERE day < ?)`,
    `DELETE FROM ${days} WHERE day < ?`,
  ];

  return {
    async put(key, text, { max, day, unusedSince }) {
      return inOneStep(use, (database) => {
        const count = () => Number(database.prepare(COUNT).get()?.count);
        const isNew = database.prepare(GET).get(key) === undefined;
        if (isNew && count() >= max) {
          database.prepare(GIVE_DAYS).run(day);
          for (const statement of FORGET_UNUSED) database.prepare(statement).run(unusedSince);
        }
        if (isNew && count() >= max) return false;
        database.prepare(`INSERT OR REPLACE INTO ${texts} (key, text) VALUES (?, ?)`).run(key, text);
        database.prepare(`INSERT OR REPLACE INTO ${days} (key, day) VALUES (?, ?)`).run(key, day);
        return true;
      });
    },
    async remove(key) {
      inOneStep(use, (database) => {
        for (const table of [texts, days]) database.prepare(`DELETE FROM ${table} WHERE key = ?`).run(key);
      });
    },
    async get(key) {
      const row = use((database) => database.prepare(GET).get(key));
      return row && String(row.text);
    },
    async after(key, limit) {
      const rows = use((database) => database.prepare(AFTER).all(key, limit));
      return rows.map((row) => [String(row.key), String(row.text)]);
    },
  };
}
