import { expiryOf, type UploadId } from '../../domain/upload.ts';

/** Small objects by their keys, which have slashes between the names of folders. */
export interface Objects {
  /** Undefined when there is no such object. */
  get(key: string): Promise<Buffer | undefined>;
  /** Writes an object, over one of the same key, whole or not at all. Resolves once a power cut cannot undo it. */
  put(key: string, content: Buffer): Promise<void>;
  /** Resolves once a power cut cannot undo it. Removing a missing object succeeds. */
  remove(keys: readonly string[]): Promise<void>;
  /** Yields the keys that begin with `prefix`. Those of one folder follow each other; a new one may be missing for a while. */
  list(prefix: string): AsyncIterable<string>;
}

/** Returns the objects of a folder, by their keys in it. `folder` ends with a slash. */
export function inFolder(objects: Objects, folder: string): Objects {
  return {
    get: (key) => objects.get(folder + key),
    put: (key, content) => objects.put(folder + key, content),
    remove: (keys) => objects.remove(keys.map((key) => folder + key)),
    async *list(prefix) {
      for await (const key of objects.list(folder + prefix)) yield key.slice(folder.length);
    },
  };
}

const HOUR = /^\d{4}-\d\d-\d\dT\d\d$/;

/** The UTC hour of a time in ms since 1970: `2026-08-15T21`. Hours sort as their times do. */
export function expiryHourOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 13);
}

/** `2026-08-15T21/<id>`: the place of an id in its hour. */
export function placeOf(id: UploadId): string {
  return `${expiryHourOf(expiryOf(id))}/${id}`;
}

export function isExpiryHour(name: string): boolean {
  return HOUR.test(name);
}
