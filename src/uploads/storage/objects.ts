import { expiryOf, parseUploadId, type UploadId } from '../../domain/upload-id.ts';
import type { Failures } from './failures.ts';

/** Small objects by their keys, which have slashes between the names of folders. */
export interface Objects {
  /** Undefined when there is no such object. */
  get(key: string): Promise<Buffer | undefined>;
  /** Writes an object, over one of the same key, whole or not at all. Resolves once a power cut cannot undo it. */
  put(key: string, content: Buffer): Promise<void>;
  /** Resolves once a power cut cannot undo it. Removing a missing object succeeds. */
  remove(keys: readonly string[]): Promise<void>;
  /**
   * Yields the keys that begin with `prefix`. Those of one folder follow each other; a new one may be missing for a while. A
   * folder that cannot be read is noted in `failures`, if there are any.
   */
  list(prefix: string, failures?: Failures): AsyncIterable<string>;
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

/*
 * moderation/version                changes with each block and removal: every process polls it, and lists the others then
 * moderation/block.<entry>          what is blocked
 * moderation/removal.<id>           the file of this id is being removed, and its space is free once it is gone
 * moderation/report.<id>.<number>   a report of the file
 */

export const RECORDS = 'moderation/';
export const VERSION = 'version';
export const REMOVAL = 'removal.';

/** The UTC hour of a time in ms since 1970: `2026-08-15T21`. Hours sort as their times do. */
export function expiryHourOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 13);
}

/** `2026-08-15T21/<id>`: the place of an id in its hour. */
export function placeOf(id: UploadId): string {
  return `${expiryHourOf(expiryOf(id))}/${id}`;
}

export const isExpiryHour = (name: string): boolean => /^\d{4}-\d\d-\d\dT\d\d$/u.test(name);

/*
 * resumable/2026-08-15T21/<key>/announced  what was announced, as JSON: the upload exists as long as this does
 * resumable/2026-08-15T21/<key>/published  the id under which publication began
 * resumable/2026-08-15T21/<key>/writer     exists while a process writes: on a disk, the lock of that process
 * resumable/2026-08-15T21/<key>/waiting    exists while another process waits for it
 * resumable/2026-08-15T21/<key>/…          the bytes, as each storage keeps them
 */

export const RESUMABLE = 'resumable/';

/*
 * collections/2026-08-15T21/<id>  the ids of the files of a collection, as JSON
 */

export const COLLECTIONS = 'collections/';

/** The key of the folder of an upload, with its slash. */
export const folderOf = (key: UploadId): string => `${RESUMABLE}${placeOf(key)}/`;

/** The folders of kinds that a copy to another storage takes over, beside the hours of files. */
const COPIED = [RECORDS, RESUMABLE, COLLECTIONS];
/** What file systems put into their top folder. */
const FOREIGN = /^(?:\.|lost\+found\/$)/u;

/** Returns the folders of a kind that is not known here. `passing`: those of a driver with what is not finished yet. */
export function unknownFolders(folders: readonly string[], passing: readonly string[]): string[] {
  const known = [...COPIED, ...passing];
  return folders.filter(
    (folder) => !known.includes(folder) && !isExpiryHour(folder.slice(0, -1)) && !FOREIGN.test(folder),
  );
}

/** Yields the uploads with the names of what their folders have. */
export async function* listUploads(
  objects: Objects,
  failures: Failures,
): AsyncGenerator<{ key: UploadId; names: string[] }, void> {
  let upload: { key: UploadId; names: string[] } | undefined;
  for await (const object of objects.list(RESUMABLE, failures)) {
    const [, , text = '', name = ''] = object.split('/');
    const key = parseUploadId(text);
    if (key === undefined) continue;
    if (upload && upload.key !== key) yield upload;
    if (upload?.key !== key) upload = { key, names: [] };
    upload.names.push(name);
  }
  if (upload) yield upload;
}

export const hasBytes = (names: readonly string[]): boolean =>
  names.some((name) => !['announced', 'writer', 'waiting', 'published'].includes(name));
