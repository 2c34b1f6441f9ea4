import type { Records } from '../../storage.ts';
import type { Bucket } from './bucket.ts';

/** Records as objects below a folder of the bucket, which is a prefix of keys with its slash. */
export function openRecords(bucket: Bucket, folder: string): Records {
  return {
    get: (name) => bucket.get(`${folder}${name}`),
    put: (name, content) => bucket.put(`${folder}${name}`, content),
    remove: (names) => bucket.remove(names.map((name) => `${folder}${name}`)),

    async *list(prefix) {
      for await (const { objects } of bucket.list(`${folder}${prefix}`))
        for (const { key } of objects) yield key.slice(folder.length);
    },
  };
}
