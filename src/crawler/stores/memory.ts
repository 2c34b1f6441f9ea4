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
  const rows = new Map<string, { text: string; day: number }>();
  return {
    get: async (key) => rows.get(key)?.text,
    async put(key, text, { max, day, unusedSince }) {
      const isFull = () => !rows.has(key) && rows.size >= max;
      if (isFull()) for (const [one, { day: used }] of rows) if (used < unusedSince) rows.delete(one);
      if (isFull()) return false;
      rows.set(key, { text, day });
      return true;
    },
    async touch(keys, day) {
      for (const key of keys) {
        const row = rows.get(key);
        if (row) row.day = day;
      }
    },
    async remove(key) {
      rows.delete(key);
    },
    async after(after, limit) {
      const later = [...rows]
        .filter(([key]) => key > after)
        .map(([key, { text }]) => [key, text] as [string, string]);
      return later.sort(([one], [other]) => (one < other ? -1 : 1)).slice(0, limit);
    },
  };
}
