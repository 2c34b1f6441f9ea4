import type { Records } from '../../storage.ts';
import type { Bucket } from './bucket.ts';
import { RECORDS } from './keys.ts';

/** Records as objects in a folder of the bucket. */
export function openRecords(bucket: Bucket): Records {
  return {
    get: (name) => bucket.get(`${RECORDS}${name}`),
    put: (name, content) => bucket.put(`${RECORDS}${name}`, content),
    remove: (names) => bucket.remove(names.map((name) => `${RECORDS}${name}`)),

    async *list(prefix) {
      for await (const { objects } of bucket.list(`${RECORDS}${prefix}`))
        for (const { key } of objects) yield key.slice(RECORDS.length);
    },
  };
}
