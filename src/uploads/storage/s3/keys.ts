import { expiryOf } from '../../../domain/upload.ts';
import type { Usage } from '../../storage.ts';
import { expiryHourOf } from '../expiry-hour.ts';

/*
 * prefix/2026-08-15T21/<id>         the description: where it is, the file is
 * prefix/2026-08-15T21/<id>.<note>  the note, an empty object: what a listing has to tell of the file
 * prefix/bytes/<process>.<n>        the bytes; parts of these are the drafts
 * prefix/alive/<process>            while a process has parts on the way
 */

/** What the note of a file says, beside its id. */
export interface Note extends Omit<Usage, 'id'> {
  /** The key of the bytes, without the prefix. */
  bytes: string;
}

export const BYTES = 'bytes/';
export const ALIVE = 'alive/';

/** Where the description of this id is, without the prefix. Undefined for anything that is not an id. */
export function descriptionKey(id: string): string | undefined {
  const expiry = expiryOf(id);
  return expiry === undefined ? undefined : `${expiryHourOf(expiry)}/${id}`;
}

/** Letters, digits and `-_.` only: no server and no proxy writes these in another form. */
export function noteKey(description: string, { owner, size, uploadedAt, bytes }: Note): string {
  const name = bytes.slice(BYTES.length);
  const fields = [uploadedAt.toString(36), size.toString(36), Buffer.from(owner).toString('base64url'), name];
  return `${description}.${fields.join('.')}`;
}

/** What a key in an hour is: a description, or a note. Undefined for what is neither. */
export function parseKey(key: string): { id: string; note?: Note } | undefined {
  const [id = '', uploadedAt = '', size, owner = '', ...name] = key
    .slice(key.lastIndexOf('/') + 1)
    .split('.');
  if (expiryOf(id) === undefined) return undefined;
  if (size === undefined) return { id };
  const note = {
    owner: Buffer.from(owner, 'base64url').toString(),
    size: Number.parseInt(size, 36),
    uploadedAt: Number.parseInt(uploadedAt, 36),
    bytes: `${BYTES}${name.join('.')}`,
  };
  return { id, note };
}
