import type { Readable } from 'node:stream';
import { AppError } from '../../../domain/errors.ts';
import type { ByteRange, Chunks } from '../../storage.ts';
import type { Bucket } from './bucket.ts';

/** Ranges up to this size are read at once, larger ones in chunks. */
const MAX_WHOLE_BYTES = 64 * 1024;
/** How long S3 may take for one chunk. */
const CHUNK_TIMEOUT_MS = 10_000;

/** Reads a range of an object, at once or in chunks. Throws AppError `not-found` when there is no such object. */
export async function readRange(bucket: Bucket, key: string, range: ByteRange): Promise<Buffer | Chunks> {
  const length = range.end + 1 - range.start;
  if (length <= 0) return Buffer.alloc(0);
  const chunks = await openChunks(range, async (rest) => {
    const stream = await bucket.openRange(key, rest);
    if (!stream) throw new AppError('not-found', 'this file has just been removed');
    return stream;
  });
  return length <= MAX_WHOLE_BYTES ? Buffer.concat(await Array.fromAsync(chunks)) : chunks;
}

/** Reads one stream, which outlives a removal of the object. When it breaks off, another one continues at its position. */
async function openChunks(
  { start, end }: ByteRange,
  open: (rest: ByteRange) => Promise<Readable>,
): Promise<Chunks> {
  let position = start;
  let reader = readStream(await open({ start, end }));
  /** The position of the last failure. A second failure at the same position ends the download. */
  let brokenAt = -1;

  async function next(): Promise<IteratorResult<Buffer, void>> {
    if (position > end) return { done: true, value: undefined };
    try {
      const chunk = await reader.next();
      position += chunk.length;
      return { done: false, value: chunk };
    } catch (error) {
      reader.close();
      if (brokenAt === position) throw error;
      brokenAt = position;
      reader = readStream(await open({ start: position, end }));
      return next();
    }
  }

  const chunks: Chunks = {
    next,
    async return() {
      position = end + 1;
      reader.close();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => chunks,
  };
  return chunks;
}

/** Reads a stream chunk by chunk. The next call throws an error that occurs between two calls. */
function readStream(stream: Readable) {
  stream.on('error', () => {});
  const iterator: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  return {
    /** Rejects when the stream ends, fails or times out. */
    async next(): Promise<Buffer> {
      const giveUp = () => stream.destroy(new Error(`nothing came within ${CHUNK_TIMEOUT_MS} ms`));
      const timer = setTimeout(giveUp, CHUNK_TIMEOUT_MS);
      try {
        const { done, value } = await iterator.next();
        if (done) throw new Error('the stream ended too early');
        return value;
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => void stream.destroy(),
  };
}
