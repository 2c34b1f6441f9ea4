import { occupiedBytes } from '../../../domain/disk-usage.ts';
import type { UploadDescription } from '../../../domain/upload.ts';
import { parseUploadId, type UploadId } from '../../../domain/upload-id.ts';
import type { RemovalMark, Usage } from '../../storage.ts';
import { placeOf } from '../objects.ts';

/*
 * Keys, all without the prefix of the address:
 *
 * 2026-08-15T21/<id>            the description: makes the file visible; the bytes of a small file follow it
 * 2026-08-15T21/<id>.<summary>  an empty object whose key holds what the quota and a sweep need to know about the file
 * bytes/<process>.<n>           the bytes of a large file; unfinished multipart uploads of these are staged uploads
 * alive/<process>               the heartbeat of a process that has unfinished work
 * alive/check                   written after a failure, to find out whether the bucket works again; a sweep removes it too
 * moderation/<name>             a record
 * removing/<id>                 a removal that has begun and not ended
 * removing/<process>.<n>        what a publication that has not ended has stored: removed unless its file is visible
 * resumable/…                   uploads that arrive in several requests
 * collections/…                 several files under one link
 */

/** The object that makes a file visible: this as JSON and, after a line end, the bytes where they are no object of their own. */
export interface Manifest {
  /** Key of the bytes. */
  bytes?: string | undefined;
  description: UploadDescription;
}

export type Withdrawn = { mark: RemovalMark };

/** The fields of a summary key, beside the id. */
interface Summary extends Omit<Usage, 'id'> {
  /** Key of the bytes, where they are not in the description's object. */
  bytes?: string | undefined;
}

/** What is to be removed beside the description of a file, and the mark that takes its place, if any. */
export interface Removal {
  id?: UploadId;
  keys: string[];
  mark?: RemovalMark | undefined;
}

export const BYTES = 'bytes/';
export const ALIVE = 'alive/';
export const REMOVING = 'removing/';
export const CHECK = `${ALIVE}check`;

/** The key of a summary. It consists of letters, digits and `-_.`, which no server and no proxy rewrites. */
export function summaryOf(id: UploadId, { bytes, description }: Manifest): string {
  const { owner, uploadedAt } = description;
  const size = occupiedBytes(description).toString(36);
  const fields = [uploadedAt.toString(36), size, Buffer.from(owner).toString('base64url')];
  const name = bytes === undefined ? [] : [bytes.slice(BYTES.length)];
  return [placeOf(id), ...fields, ...name].join('.');
}

/** The keys of the bytes, where they are an object of their own, and of the summary. */
export function keysBeside(id: UploadId, manifest: Manifest): string[] {
  return [manifest.bytes, summaryOf(id, manifest)].filter((key) => key !== undefined);
}

/** Parses a key below an hour: a description, or with `summary` a summary. Undefined for any other. */
export function parseKey(key: string): { id: UploadId; summary?: Summary } | undefined {
  const [text = '', uploadedAt = '', size, owner = '', ...name] = key
    .slice(key.lastIndexOf('/') + 1)
    .split('.');
  const id = parseUploadId(text);
  if (id === undefined) return undefined;
  if (size === undefined) return { id };
  const summary = {
    owner: Buffer.from(owner, 'base64url').toString(),
    size: Number.parseInt(size, 36),
    uploadedAt: Number.parseInt(uploadedAt, 36),
    bytes: name.length > 0 ? `${BYTES}${name.join('.')}` : undefined,
  };
  return { id, summary };
}
