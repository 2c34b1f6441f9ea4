import { LeaseLostError, type LeaseName, type Rows, type Store } from '../store.ts';
import { openValues, writeValues } from './values.ts';

/** `memory:` keeps values in this process only: for tests, and for a single process that may start empty. */
export async function openMemoryStore(values = new Map<string, string>()): Promise<Store> {
  const leased = new Map<LeaseName, symbol>();
  const read = async (key: string) => values.get(key);
  return {
    keyv: openValues({ read }),
    subscriptions: createRows(),
    async lease(name) {
      if (leased.has(name)) return undefined;
      const token = Symbol(name);
      const isHeld = () => leased.get(name) === token;
      leased.set(name, token);
      return {
        write: writeValues({ read }, async (entries) => {
          if (!isHeld()) throw new LeaseLostError();
          for (const { key, value } of entries) values.set(key, value);
        }),
        isHeld: async () => isHeld(),
        async release() {
          if (isHeld()) leased.delete(name);
        },
      };
    },
    watch: () => () => {},
    probe: async () => {},
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
