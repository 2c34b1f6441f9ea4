import { Keyv } from 'keyv';
import type { Store } from '../snapshot-store.ts';

/** `memory:` lives and dies with the process: for tests, and for one process that may start empty. */
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
