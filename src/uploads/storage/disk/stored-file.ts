import type { Stats } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../../domain/errors.ts';
import { coalesce } from '../../../domain/serial.ts';
import type { UploadDescription } from '../../../domain/upload.ts';
import type { UploadId } from '../../../domain/upload-id.ts';
import type { ByteRange, Chunks, RemovalMark, StoredFile } from '../../storage.ts';
import { RemovedFileError } from '../../storage.ts';
import { unlessMissing } from '../errors.ts';

/*
 * A stored file consists of the bytes, the description as JSON, and the length of that JSON. One rename publishes both
 * and one unlink removes both; and because the bytes come first, ranges need no offset. A withdrawn file is replaced by one
 * of the same form, with no bytes and with the removal mark in place of the description.
 */

/** The length is an unsigned 32-bit number, big-endian. */
const LENGTH_BYTES = 4;
/** Files up to this size stay in memory while they are read often. */
const SMALL_BYTES = 64 * 1024;
const CACHE_BYTES = 8 * 1024 ** 2;
/** What is kept of a small file beside its bytes takes about this much. */
const PARSED_BYTES = 2 * 1024;
/** What is read at first of the end of a larger file; enough for nearly every description. */
const END_BYTES = 2 * 1024;
/** Ranges up to this size are read at once, larger ones in chunks. */
const CHUNK_BYTES = 64 * 1024;
/** Large chunks more than double the speed of a fast reader. So many readers at once have them, with 16 MB together. */
const LARGE_CHUNK_BYTES = 512 * 1024;
const MAX_LARGE_READERS = 32;
let largeReaders = 0;

export function encodeFooter(content: UploadDescription | RemovalMark): Buffer {
  const json = Buffer.from(JSON.stringify(content));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([json, length]);
}

/** Undefined for a file that is missing or withdrawn. Throws an Error for one that is damaged. */
export async function describeFile(path: string): Promise<UploadDescription | undefined> {
  const found = await readEnd(path);
  const content = found && requireFooter(path, found);
  return content && !('removedAt' in content) ? content : undefined;
}

/** A small file as it was read. What replaces it has another inode or another time. */
interface SmallFile {
  inode: number;
  changedAtMs: number;
  bytes: Buffer;
  content: UploadDescription | RemovalMark;
  /** Asks what is at the path. Who asks meanwhile shares the next answer, so that none is older than its question. */
  inspect(): Promise<Stats | undefined>;
}

/**
 * Returns a function that opens files: undefined when there is no such file. Throws RemovedFileError, and an Error for a file
 * that is damaged. To ask whether a small file is still the same takes one trip to the thread pool, which requests for a file
 * that many want share; to open, inspect, read and close it takes four.
 */
export function createFileOpener(pathOf: (id: UploadId) => string) {
  const sizeCalculation = ({ bytes }: SmallFile) => bytes.length + PARSED_BYTES;
  const cache = new LRUCache<UploadId, SmallFile>({ maxSize: CACHE_BYTES, sizeCalculation });

  async function readSmall(id: UploadId, stats: Stats): Promise<SmallFile | undefined> {
    const path = pathOf(id);
    const read = await unlessMissing(readFile(path));
    if (!read) return undefined;
    // A copy in memory of its own: a buffer may be a part of a larger one.
    const bytes = Buffer.from(new Uint8Array(read).buffer);
    const file: SmallFile = {
      inode: stats.ino,
      changedAtMs: stats.ctimeMs,
      bytes,
      content: requireFooter(path, { end: bytes, size: bytes.length }),
      inspect: coalesce(() => inspect(path)),
    };
    cache.set(id, file);
    return file;
  }

  async function openSmall(id: UploadId, stats: Stats): Promise<StoredFile | undefined> {
    const cached = cache.get(id);
    const isSame = cached?.inode === stats.ino && cached.changedAtMs === stats.ctimeMs;
    const file = isSame ? cached : await readSmall(id, stats);
    if (!file) return undefined;
    return present(file.content, async ({ start, end }) => file.bytes.subarray(start, end + 1));
  }

  return async (id: UploadId): Promise<StoredFile | undefined> => {
    const stats = await (cache.get(id)?.inspect() ?? inspect(pathOf(id)));
    if (stats) return stats.size <= SMALL_BYTES ? openSmall(id, stats) : openLarge(pathOf(id));
    cache.delete(id);
    return undefined;
  };
}

const inspect = (path: string): Promise<Stats | undefined> => unlessMissing(stat(path));

async function openLarge(path: string): Promise<StoredFile | undefined> {
  const found = await readEnd(path);
  return found && present(requireFooter(path, found), (range) => readFileRange(path, range));
}

function present(
  content: UploadDescription | RemovalMark,
  read: (range: ByteRange) => Promise<Buffer | Chunks>,
): StoredFile {
  if ('removedAt' in content) throw new RemovedFileError(content);
  return { description: content, read: (range = { start: 0, end: content.size - 1 }) => read(range) };
}

/** Reads the end of a file, with all of the description. */
async function readEnd(path: string) {
  await using handle = await unlessMissing(open(path));
  if (!handle) return undefined;
  const { size } = await handle.stat();
  const readLast = (length: number) => fill(handle, size - length, Buffer.allocUnsafe(length));
  const end = await readLast(Math.min(size, END_BYTES));
  const footerBytes = footerBytesOf(end);
  return { size, end: footerBytes > end.length && footerBytes <= size ? await readLast(footerBytes) : end };
}

/** Throws an Error when a file of `size` bytes that ends like this is not as it was written. */
function requireFooter(path: string, { end, size }: { end: Buffer; size: number }) {
  const footerBytes = footerBytesOf(end);
  try {
    const content: UploadDescription | RemovalMark = JSON.parse(
      end.toString('utf8', end.length - footerBytes, end.length - LENGTH_BYTES),
    );
    if ('removedAt' in content || content.size === size - footerBytes) return content;
  } catch {}
  throw new Error(`The stored file ${path} is damaged.`);
}

function footerBytesOf(end: Buffer): number {
  return LENGTH_BYTES + (end.length < LENGTH_BYTES ? 0 : end.readUInt32BE(end.length - LENGTH_BYTES));
}

/** Reads a range of a file, at once or in chunks. Throws AppError `not-found` when the file has been removed. */
export async function readFileRange(path: string, { start, end }: ByteRange): Promise<Buffer | Chunks> {
  const handle = await unlessMissing(open(path));
  if (!handle) throw new AppError('not-found', 'this file has just been removed');
  const length = end + 1 - start;
  if (length > CHUNK_BYTES) return readChunks(handle, { start, end });
  return fill(handle, start, Buffer.allocUnsafe(length)).finally(() => handle.close());
}

/** Reads into the same memory again and again: to collect a new buffer for each chunk would cost more than reading does. */
async function* readChunks(handle: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer, void> {
  const isLarge = largeReaders < MAX_LARGE_READERS;
  if (isLarge) largeReaders += 1;
  const memory = Buffer.allocUnsafe(isLarge ? LARGE_CHUNK_BYTES : CHUNK_BYTES);
  try {
    for (let position = start; position <= end; position += memory.length) {
      yield await fill(handle, position, memory.subarray(0, end + 1 - position));
    }
  } finally {
    if (isLarge) largeReaders -= 1;
    await handle.close();
  }
}

async function fill(handle: FileHandle, position: number, buffer: Buffer): Promise<Buffer> {
  for (let filled = 0; filled < buffer.length; ) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) throw new Error('A stored file is shorter than it was.');
    filled += bytesRead;
  }
  return buffer;
}
