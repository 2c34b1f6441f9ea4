import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '../../domain/errors.ts';
import type { UploadDescription } from '../../domain/upload.ts';
import type { ByteRange, Pieces, StoredFile } from '../storage.ts';
import { unlessMissing } from './disk-errors.ts';
import type { PieceSize } from './piece-sizes.ts';

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
/** Up to here a range is handed out at once; beyond, in pieces. */
const WHOLE_BYTES = 64 * 1024;

/** Not what was written: the disk, or somebody, has changed the file. */
export class DamagedFileError extends Error {
  constructor(path: string) {
    super(`The stored file ${path} is damaged.`);
    this.name = 'DamagedFileError';
  }
}

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
export async function openFile(path: string, sizes: () => PieceSize): Promise<StoredFile | undefined> {
  const stored = await readEnd(path, OPEN_BYTES);
  if (!stored) return undefined;
  const { description, bytes } = stored;
  return {
    description,
    async read({ start, end } = { start: 0, end: description.size - 1 }) {
      return bytes ? bytes.subarray(start, end + 1) : readRange(path, { start, end }, sizes);
    },
  };
}

async function readRange(
  path: string,
  { start, end }: ByteRange,
  sizes: () => PieceSize,
): Promise<Buffer | Pieces> {
  const length = end + 1 - start;
  if (length > WHOLE_BYTES) return readInTurn(await reopen(path), { start, end }, sizes());
  await using handle = await reopen(path);
  return await readFully(handle, start, length);
}

/**
 * Two buffers in turn, one being read while the other is sent: a new one for each piece would cost more in collecting
 * garbage than reading does.
 */
function readInTurn(handle: FileHandle, { start, end }: ByteRange, size: PieceSize): Pieces {
  const buffers = [Buffer.alloc(0), Buffer.alloc(0)] as [Buffer, Buffer];
  let position = start;
  let next: Promise<Buffer> | undefined = readPiece();

  function readPiece(): Promise<Buffer> {
    const maxBytes = size.next();
    const length = Math.min(maxBytes, end + 1 - position);
    buffers.reverse();
    if (buffers[0].length < length || buffers[0].length > maxBytes) buffers[0] = Buffer.allocUnsafe(length);
    const piece = fill(handle, position, buffers[0].subarray(0, length));
    // Whoever waits for it next throws; until then nobody listens.
    piece.catch(() => {});
    return piece;
  }

  async function close(): Promise<void> {
    const pending = next;
    next = undefined;
    await pending?.catch(() => {});
    await handle.close();
  }

  /** The last piece keeps its memory until the reader is done with it, after the descriptor has gone. */
  async function finish(): Promise<IteratorReturnResult<void>> {
    size.end();
    await close();
    return { done: true, value: undefined };
  }

  return {
    async next() {
      if (!next) return finish();
      const piece = await next.catch(async (error: unknown) => {
        await finish();
        throw error;
      });
      position += piece.length;
      if (position <= end) next = readPiece();
      else await close();
      return { done: false, value: piece };
    },
    return: finish,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
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
  if (total <= LENGTH_BYTES) throw new DamagedFileError(path);
  const jsonBytes = tail.readUInt32BE(tail.length - LENGTH_BYTES);
  const footerBytes = jsonBytes + LENGTH_BYTES;
  if (footerBytes > total) throw new DamagedFileError(path);
  if (footerBytes > tail.length) tail = await readLast(footerBytes);

  const json = tail.toString('utf8', tail.length - footerBytes, tail.length - LENGTH_BYTES);
  const description = parseDescription(json);
  if (description?.size !== total - footerBytes) throw new DamagedFileError(path);
  const bytes = tail.length === total ? tail.subarray(0, description.size) : undefined;
  return { description, bytes };
}

function parseDescription(json: string): UploadDescription | undefined {
  try {
    return JSON.parse(json) ?? undefined;
  } catch {
    return undefined;
  }
}

function readFully(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  return fill(handle, position, Buffer.allocUnsafe(length));
}

async function fill(handle: FileHandle, position: number, buffer: Buffer): Promise<Buffer> {
  for (let filled = 0; filled < buffer.length; ) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) throw new Error('A stored file is shorter than it was.');
    filled += bytesRead;
  }
  return buffer;
}
