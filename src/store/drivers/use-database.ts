import type { DatabaseSync } from 'node:sqlite';

/** Runs one operation on the database of a store. */
export type UseDatabase = <Value>(work: (database: DatabaseSync) => Value) => Value;

/** All that `work` writes, or nothing. */
export function inOneStep<Value>(use: UseDatabase, work: (database: DatabaseSync) => Value): Value {
  return use((database) => {
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
