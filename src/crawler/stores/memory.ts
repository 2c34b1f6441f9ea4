import { Keyv } from 'keyv';
import type { LeaseName, Store } from '../snapshot-store.ts';

/** `memory:` lives and dies with the process: for tests, and for one process that may start empty. */
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
    watch: () => () => {},
    shared: false,
    close: async () => {},
  };
}
