import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import type { UploadDescription } from '../../domain/upload.ts';
import type { ByteRange, StoredFile } from '../storage.ts';
import { unlessMissing } from './disk-errors.ts';

/*
 * A stored file is one file: the bytes, the description as JSON, and the length of that JSON. One rename publishes
 * both and one unlink removes both; and with the bytes in front a range is where it says it is.
 */

/** An unsigned 32-bit number, big end first. */
const LENGTH_BYTES = 4;
/** What `openFile` reads at once: the description, and all of a small file. */
const OPEN_BYTES = 64 * 1024;
/** Enough for nearly every description. */
const DESCRIPTION_BYTES = 2 * 1024;
/** Up to here a range is handed out in one piece; beyond, this is the buffer of the stream. */
const READ_BYTES = 1024 * 1024;

export function encodeFooter(description: UploadDescription): Buffer {
  const json = Buffer.from(JSON.stringify(description));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([json, length]);
}

/** Undefined when there is no such file. */
export async function describeFile(path: string): Promise<UploadDescription | undefined> {
  return (await readEnd(path, DESCRIPTION_BYTES))?.description;
}

/** Undefined when there is no such file. */
export async function openFile(path: string): Promise<StoredFile | undefined> {
  const stored = await readEnd(path, OPEN_BYTES);
  if (!stored) return undefined;
  const { description, bytes } = stored;
  return {
    description,
    async read({ start, end } = { start: 0, end: description.size - 1 }) {
      return bytes ? bytes.subarray(start, end + 1) : readRange(path, { start, end });
    },
  };
}

async function readRange(path: string, { start, end }: ByteRange): Promise<Buffer | Readable> {
  const length = end + 1 - start;
  if (length > READ_BYTES) {
    return (await reopen(path)).createReadStream({ start, end, highWaterMark: READ_BYTES });
  }
  await using handle = await reopen(path);
  return await readFully(handle, start, length);
}

async function reopen(path: string): Promise<FileHandle> {
  const handle = await unlessMissing(open(path));
  if (!handle) throw new AppError('not-found', 'This file has just been removed.');
  return handle;
}

/** The description, found from the end by reading `atOnce` bytes, and the bytes where these held them all. */
async function readEnd(path: string, atOnce: number) {
  await using handle = await unlessMissing(open(path));
  if (!handle) return undefined;
  const { size: total } = await handle.stat();
  const readLast = (length: number) => readFully(handle, total - length, length);

  let tail = await readLast(Math.min(total, atOnce));
  const jsonBytes = tail.readUInt32BE(tail.length - LENGTH_BYTES);
  const footerBytes = jsonBytes + LENGTH_BYTES;
  if (footerBytes > tail.length) tail = await readLast(footerBytes);

  const json = tail.toString('utf8', tail.length - footerBytes, tail.length - LENGTH_BYTES);
  const description: UploadDescription = JSON.parse(json);
  const bytes = tail.length === total ? tail.subarray(0, description.size) : undefined;
  return { description, bytes };
}

async function readFully(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new Error('A stored file is shorter than it was.');
    filled += bytesRead;
  }
  return buffer;
}
