import { type FileHandle, open } from 'node:fs/promises';
import { AppError } from '../../../domain/errors.ts';
import type { ByteRange, Chunks } from '../../storage.ts';
import { unlessMissing } from '../errors.ts';

/** Ranges up to this size are read at once, larger ones in chunks. */
const MAX_WHOLE_BYTES = 64 * 1024;
/** Large chunks more than double the speed of a fast reader. */
const LARGE_BYTES = 512 * 1024;
const SMALL_BYTES = 32 * 1024;
/** How many readers have large chunks at the same time; with two chunks each, they take 32 MB. */
const MAX_LARGE_READERS = 32;

/** Reads a range of a file, at once or in chunks. Throws AppError `not-found` when the file has been removed. */
export type ReadRange = (path: string, range: ByteRange) => Promise<Buffer | Chunks>;

/** Creates the function by which a storage reads. It distributes large chunks among the readers. */
export function createReadRange(): ReadRange {
  let largeReaders = 0;

  return async (path, range) => {
    const handle = await reopen(path);
    const length = range.end + 1 - range.start;
    if (length <= MAX_WHOLE_BYTES)
      return readFully(handle, range.start, length).finally(() => handle.close());
    const isLarge = largeReaders < MAX_LARGE_READERS;
    if (isLarge) largeReaders += 1;
    return readChunks(handle, range, isLarge ? LARGE_BYTES : SMALL_BYTES, () => {
      if (isLarge) largeReaders -= 1;
    });
  };
}

export function readFully(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  return fill(handle, position, Buffer.allocUnsafe(length));
}

/**
 * Reads into two buffers in turn: one is filled while the other is sent. Garbage collection of a new buffer for each
 * chunk would cost more than reading does. Calls `onEnd` once the memory is no longer in use.
 */
function readChunks(
  handle: FileHandle,
  { start, end }: ByteRange,
  chunkBytes: number,
  onEnd: () => void,
): Chunks {
  let [current, other] = [Buffer.alloc(0), Buffer.alloc(0)];
  let position = start;
  let next: Promise<Buffer> | undefined = readChunk();
  let isOver = false;

  function readChunk(): Promise<Buffer> {
    const length = Math.min(chunkBytes, end + 1 - position);
    [current, other] = [other, current];
    if (current.length < length) current = Buffer.allocUnsafe(length);
    const chunk = fill(handle, position, current.subarray(0, length));
    // The call of `next` that awaits this chunk throws its error. Until then Node must not report it as unhandled.
    chunk.catch(() => {});
    return chunk;
  }

  async function close(): Promise<void> {
    const pending = next;
    next = undefined;
    await pending?.catch(() => {});
    await handle.close();
  }

  /** Called after the last chunk, whose memory is in use until then, although the descriptor is already closed. */
  async function finish(): Promise<IteratorReturnResult<void>> {
    if (!isOver) onEnd();
    isOver = true;
    await close();
    return { done: true, value: undefined };
  }

  return {
    async next() {
      if (!next) return finish();
      const chunk = await next.catch(async (error: unknown) => {
        await finish();
        throw error;
      });
      position += chunk.length;
      if (position <= end) next = readChunk();
      else await close();
      return { done: false, value: chunk };
    },
    return: finish,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function reopen(path: string): Promise<FileHandle> {
  const handle = await unlessMissing(open(path));
  if (!handle) throw new AppError('not-found', 'this file has just been removed');
  return handle;
}

async function fill(handle: FileHandle, position: number, buffer: Buffer): Promise<Buffer> {
  for (let filled = 0; filled < buffer.length; ) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) throw new Error('A stored file is shorter than it was.');
    filled += bytesRead;
  }
  return buffer;
}
