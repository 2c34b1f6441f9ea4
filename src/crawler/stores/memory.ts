import { Keyv } from 'keyv';
import type { LeaseName, Rows, Store } from '../snapshot-store.ts';

/** `memory:` keeps values in this process only: for tests, and for a single process that may start empty. */
export async function openMemoryStore(): Promise<Store> {
  const leased = new Set<LeaseName>();
  return {
    keyv: new Keyv({ throwOnErrors: true }),
    subscriptions: createRows(),
    async lease(name = 'refresh') {
      if (leased.has(name)) return undefined;
      leased.add(name);
      let isHeld = true;
      return async () => {
        if (isHeld) leased.delete(name);
        isHeld = false;
      };
    },
    holds: async (name) => leased.has(name),
    watch: () => () => {},
    shared: false,
    close: async () => {},
  };
}

function createRows(): Rows {
  const rows = new Map<string, string>();
  return {
    get: async (key) => rows.get(key),
    async put(key, text, max) {
      if (!rows.has(key) && rows.size >= max) return false;
      rows.set(key, text);
      return true;
    },
    async remove(key) {
      rows.delete(key);
    },
    async after(after, limit) {
      const later = [...rows].filter(([key]) => key > after);
      return later.sort(([one], [other]) => (one < other ? -1 : 1)).slice(0, limit);
    },
  };
}
