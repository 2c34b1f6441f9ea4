import { DatabaseSync } from 'node:sqlite';
import { HOUR_MS } from '../../domain/units.ts';
import type { LeaseName, Store } from '../store.ts';
import { pollVersion } from './poll-version.ts';
import { createTables, openTables } from './sqlite-tables.ts';

/** `memory:` keeps values in this process only: for tests, and for a single process that may start empty. */
export async function openMemoryStore(database = new DatabaseSync(':memory:')): Promise<Store> {
  createTables(database);
  const { holdLease, ...tables } = openTables((work) => work(database));
  const { stop, ...watching } = pollVersion(async () => null, HOUR_MS);
  const taken = new Set<LeaseName>();
  return {
    ...tables,
    async lease(name) {
      if (taken.has(name)) return undefined;
      taken.add(name);
      return holdLease(() => void taken.delete(name));
    },
    ...watching,
    shared: false,
    close: async () => stop(),
  };
}
