import { parseUploadId, type UploadId } from '../../domain/upload.ts';
import { type Objects, placeOf } from './objects.ts';

/*
 * resumable/2026-08-15T21/<key>/announced  what was announced, as JSON: the upload exists as long as this does
 * resumable/2026-08-15T21/<key>/published  the id under which publication began
 * resumable/2026-08-15T21/<key>/writer     has no content; a process that writes holds its lock, on a disk
 * resumable/2026-08-15T21/<key>/…          the bytes, as each storage keeps them
 */

export const RESUMABLE = 'resumable/';
/** What an upload has before any of its bytes. */
const BYTELESS = ['announced', 'writer'];

/** The key of the folder of an upload, with its slash. */
export const folderOf = (key: UploadId): string => `${RESUMABLE}${placeOf(key)}/`;

/** Yields the uploads with the names of what their folders have. */
export async function* listUploads(
  objects: Objects,
): AsyncGenerator<{ key: UploadId; names: string[] }, void> {
  let upload: { key: UploadId; names: string[] } | undefined;
  for await (const object of objects.list(RESUMABLE)) {
    const [, , text = '', name = ''] = object.split('/');
    const key = parseUploadId(text);
    if (key === undefined) continue;
    if (upload && upload.key !== key) yield upload;
    if (upload?.key !== key) upload = { key, names: [] };
    upload.names.push(name);
  }
  if (upload) yield upload;
}

export function hasBytes(names: readonly string[]): boolean {
  return names.some((name) => !BYTELESS.includes(name));
}
