import { EventEmitter } from 'node:events';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import type { Lease, Store } from '../store.ts';

/** A key with the namespace, and the value as Keyv serializes it. */
export type Entry = { key: string; value: string };

interface ValuesOptions {
  namespace?: string;
  read(key: string): Promise<string | undefined>;
}

/** The values of a driver. Keys begin with the namespace and a colon. */
export function openValues(options: ValuesOptions): Store['keyv'] {
  return createKeyv(options, () => Promise.reject(new Error('values are written under a lease')));
}

/** How a lease writes them. `writeAll` writes all entries or none, and throws LeaseLostError. */
export function writeValues(
  options: ValuesOptions,
  writeAll: (entries: Entry[]) => Promise<void>,
): Lease['write'] {
  const keyv = createKeyv(options, writeAll);
  return async (values) => {
    await keyv.setMany(Object.entries(values).map(([key, value]) => ({ key, value })));
  };
}

function createKeyv({ namespace, read }: ValuesOptions, writeAll: (entries: Entry[]) => Promise<void>): Keyv {
  return new Keyv(new LeasedAdapter(read, writeAll), {
    ...(namespace !== undefined && { namespace }),
    throwOnErrors: true,
    emitErrors: false,
  });
}

/** A Keyv storage adapter that writes many values in one step. Keyv keeps the expiry in the value; there is none. */
class LeasedAdapter extends EventEmitter implements KeyvStoreAdapter {
  readonly opts = {};
  namespace?: string;
  // biome-ignore lint/suspicious/noExplicitAny: Keyv's own type of a value that is not deserialized yet
  readonly get: (key: string) => Promise<any>;
  readonly setMany: (entries: Entry[]) => Promise<void>;

  constructor(read: ValuesOptions['read'], writeAll: (entries: Entry[]) => Promise<void>) {
    super();
    this.get = read;
    this.setMany = writeAll;
  }

  set(key: string, value: string): Promise<void> {
    return this.setMany([{ key, value }]);
  }

  readonly delete = () => Promise.reject(new Error('values are never deleted'));
  readonly clear = this.delete;
}
