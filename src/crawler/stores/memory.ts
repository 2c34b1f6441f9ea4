import { Keyv } from 'keyv';
import type { LeaseName, Store } from '../snapshot-store.ts';

/** `memory:` keeps values in this process only: for tests, and for a single process that may start empty. */
export async function openMemoryStore(): Promise<Store> {
  const leased = new Set<LeaseName>();
  return {
    keyv: new Keyv({ throwOnErrors: true }),
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
