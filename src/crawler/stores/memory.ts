import { DatabaseSync } from 'node:sqlite';
import type { LeaseName, Store } from '../store.ts';
import { createTables, openTables } from './sqlite-tables.ts';

/** `memory:` keeps values in this process only: for tests, and for a single process that may start empty. */
export async function openMemoryStore(database = new DatabaseSync(':memory:')): Promise<Store> {
  createTables(database);
  const { holdLease, ...tables } = openTables((work) => work(database));
  const taken = new Set<LeaseName>();
  return {
    ...tables,
    async lease(name) {
      if (taken.has(name)) return undefined;
      taken.add(name);
      return holdLease(() => void taken.delete(name));
    },
    watch: () => () => {},
    shared: false,
    close: async () => {},
  };
}
