import type { DatabaseSync } from 'node:sqlite';
import type { StoreContents, StoredItem } from '../store.ts';
import { inOneStep, type UseDatabase } from './use-database.ts';

/** The tables that keep one kind of items. */
export interface ContentTables {
  texts: string;
  textColumn: string;
  /** What stands before each key in the tables. */
  keyPrefix: string;
  /** Absent where items have no day. */
  days?: string;
}

/** What the tables of a store keep. A store of an earlier version, opened to be read, may lack some. */
export function openTableContents(
  use: UseDatabase,
  tables: Record<Parameters<StoreContents['read']>[0], ContentTables>,
): StoreContents {
  return {
    async read(kind, after, limit) {
      const { texts, textColumn, keyPrefix, days } = tables[kind];
      return use((database): StoredItem[] => {
        const present = tablesOf(database);
        if (!present.includes(texts)) return [];
        const hasDays = days !== undefined && present.includes(days);
        const from = hasDays ? `${texts} LEFT JOIN ${days} USING (key)` : texts;
        const columns = `key, ${textColumn} AS text, ${hasDays ? 'day' : 'NULL'} AS day`;
        const rows = database
          .prepare(`SELECT ${columns} FROM ${from} WHERE key > ? ORDER BY key LIMIT ?`)
          .all(keyPrefix + after, limit);
        return rows.map(({ key, text, day }) => ({
          key: String(key).slice(keyPrefix.length),
          text: String(text),
          day: day === null ? null : Number(day),
        }));
      });
    },

    async write(kind, items, removed) {
      const { texts, textColumn, keyPrefix, days } = tables[kind];
      inOneStep(use, (database) => {
        for (const table of days ? [texts, days] : [texts]) {
          const remove = database.prepare(`DELETE FROM ${table} WHERE key = ?`);
          for (const key of removed) remove.run(keyPrefix + key);
        }
        const put = database.prepare(`INSERT OR REPLACE INTO ${texts} (key, ${textColumn}) VALUES (?, ?)`);
        for (const { key, text } of items) put.run(keyPrefix + key, text);
        if (days === undefined) return;
        const putDay = database.prepare(`INSERT OR REPLACE INTO ${days} (key, day) VALUES (?, ?)`);
        for (const { key, day } of items) if (day !== null) putDay.run(keyPrefix + key, day);
      });
    },

    async findUnknown() {
      const known = Object.values(tables).flatMap(({ texts, days }) => [texts, days]);
      return use(tablesOf)
        .filter((name) => !known.includes(name))
        .map((name) => `the table ${name}`);
    },
  };
}

function tablesOf(database: DatabaseSync): string[] {
  const rows = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .all();
  return rows.map(({ name }) => String(name));
}
