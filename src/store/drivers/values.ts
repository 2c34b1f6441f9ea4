import { jsonSerializer, Keyv, KeyvBridgeAdapter } from 'keyv';
import type { Store } from '../store.ts';

/** A key with the namespace, and the value as Keyv serializes it; undefined for a value that is to be removed. */
export interface SerializedValue {
  key: string;
  value: string | undefined;
}

/** Where the serialized values of a driver are. */
interface ValueStorage {
  read(key: string): Promise<string | undefined>;
  /** Writes all values, or none. */
  writeAll(values: SerializedValue[]): Promise<void>;
}

/** The values of a driver. Keys begin with the namespace and a colon. */
export function openValues(namespace: string, read: ValueStorage['read']): Store['values'] {
  return openKeyv(namespace, { read, writeAll: refuse('values are written under a lease') });
}

/** Writes values in one step. An undefined one is removed. */
export async function writeValues(
  namespace: string,
  values: Record<string, unknown>,
  writeAll: ValueStorage['writeAll'],
): Promise<void> {
  const entries = Object.entries(values).map(([key, value]) => ({ key, value }));
  const kept = entries.filter(({ value }) => value !== undefined);
  const removed = entries
    .filter(({ value }) => value === undefined)
    .map(({ key }) => ({ key: `${namespace}:${key}`, value: undefined }));
  if (kept.length === 0) return writeAll(removed);
  const keyv = openKeyv(namespace, {
    read: refuse('a lease reads no values'),
    writeAll: (written) => writeAll([...written, ...removed]),
  });
  await keyv.setMany(kept);
}

/** Whether a text in JSON begins with a colon: Keyv writes one more before it. */
const HAS_COLON = /[:[,{]":/u;

/**
 * Keyv over a storage of texts. Its values have no expiry. Nobody listens to its errors, so they reject.
 */
function openKeyv(namespace: string, { read, writeAll }: ValueStorage): Keyv {
  const storage = {
    get: read,
    set: (key: string, value: string) => writeAll([{ key, value }]),
    setMany: writeAll,
    delete: refuse('values are removed by a write'),
    clear: refuse('values are removed by a write'),
  };
  return new Keyv({
    store: new KeyvBridgeAdapter(storage, { namespace, namespaceSeparator: ':' }),
    serialization: {
      stringify: jsonSerializer.stringify,
      // Keyv's own calls a function for each part of a value, which takes six times as long.
      parse: <Value>(text: string): Value =>
        HAS_COLON.test(text) ? jsonSerializer.parse(text) : JSON.parse(text),
    },
  });
}

function refuse(reason: string): () => Promise<never> {
  return () => Promise.reject(new Error(reason));
}
