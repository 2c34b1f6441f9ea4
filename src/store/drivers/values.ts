import { EventEmitter } from 'node:events';
import { Keyv } from 'keyv';
import type { Store } from '../store.ts';

/** A key with the namespace, and the value as Keyv serializes it. */
export interface SerializedValue {
  key: string;
  value: string;
}

/** The values of a driver. Keys begin with the namespace and a colon. */
export function openValues(
  namespace: string,
  read: (key: string) => Promise<string | undefined>,
): Store['values'] {
  return openKeyv(namespace, read, () => Promise.reject(new Error('values are written under a lease')));
}

/** Writes values by `writeAll`, which writes all entries or none. */
export async function writeValues(
  namespace: string,
  values: Record<string, unknown>,
  writeAll: (entries: SerializedValue[]) => Promise<void>,
): Promise<void> {
  const keyv = openKeyv(namespace, () => Promise.reject(new Error('a lease reads no values')), writeAll);
  await keyv.setMany(Object.entries(values).map(([key, value]) => ({ key, value })));
}

/** Whether a text in JSON begins with a colon: Keyv writes one more before it. */
const HAS_COLON = /[:[,{]":/u;
const withoutColon = (_key: string, value: unknown) =>
  typeof value === 'string' && value.startsWith(':') ? value.slice(1) : value;

/** Keyv over a storage adapter that writes many values in one step. Its values have no expiry, and are never deleted. */
function openKeyv(
  namespace: string,
  // biome-ignore lint/suspicious/noExplicitAny: Keyv's own type of a value that is not deserialized yet
  get: (key: string) => Promise<any>,
  setMany: (entries: SerializedValue[]) => Promise<void>,
): Keyv {
  const refuse = () => Promise.reject(new Error('values are never deleted'));
  const set = (key: string, value: string) => setMany([{ key, value }]);
  const adapter = { opts: {}, get, set, setMany, delete: refuse, clear: refuse };
  return new Keyv(Object.assign(new EventEmitter(), adapter), {
    namespace,
    throwOnErrors: true,
    emitErrors: false,
    // Keyv's own calls a function for each part of a value, which takes six times as long.
    deserialize: (text) => JSON.parse(text, HAS_COLON.test(text) ? withoutColon : undefined),
  });
}
