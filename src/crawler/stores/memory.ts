import { Keyv } from 'keyv';
import type { Store } from '../snapshot-store.ts';

/** `memory:` keeps values in this process only: for tests, and for a single process that may start empty. */
export async function openMemoryStore(): Promise<Store> {
  let leased = false;
  return {
    keyv: new Keyv({ throwOnErrors: true }),
    async lease() {
      if (leased) return undefined;
      leased = true;
      let isHeld = true;
      return async () => {
        if (isHeld) leased = false;
        isHeld = false;
      };
    },
    watch: () => () => {},
    shared: false,
    close: async () => {},
  };
}
