import type { Readable } from 'node:stream';
import { AppError } from '../../../domain/errors.ts';
import type { ByteRange, Chunks } from '../../storage.ts';
import type { S3Bucket } from './bucket.ts';

/** Ranges up to this size are read at once, larger ones in chunks. */
const MAX_WHOLE_BYTES = 64 * 1024;
/** How long S3 may take for one chunk. */
const CHUNK_TIMEOUT_MS = 10_000;

/** Reads a range of an object, at once or in chunks. Throws AppError `not-found` when there is no such object. */
export async function readObjectRange(
  bucket: S3Bucket,
  key: string,
  { start, end }: ByteRange,
): Promise<Buffer | Chunks> {
  if (end < start) return Buffer.alloc(0);

  async function openFrom(position: number): Promise<Readable> {
    const stream = await bucket.openRange(key, { start: position, end });
    if (!stream) throw new AppError('not-found', 'this file has just been removed');
    // The loop that reads the stream throws its errors, also those that occur between two chunks.
    return stream.on('error', () => {});
  }

  const chunks = readOn(await openFrom(start), { start, end }, openFrom);
  return end - start < MAX_WHOLE_BYTES ? Buffer.concat(await Array.fromAsync(chunks)) : chunks;
}

/**
 * Reads one stream, which outlives a removal of the object. When it breaks off, another one continues at its position. A
 * second failure at the same position ends the download.
 */
async function* readOn(
  first: Readable,
  { start, end }: ByteRange,
  openFrom: (position: number) => Promise<Readable>,
): AsyncGenerator<Buffer, void> {
  let stream = first;
  let position = start;
  let brokenAt = -1;
  while (position <= end) {
    try {
      for await (const chunk of withTimeout(stream)) {
        position += chunk.length;
        yield chunk;
      }
      if (position <= end) throw new Error('the stream ended too early');
    } catch (error) {
      if (brokenAt === position) throw error;
      brokenAt = position;
      stream = await openFrom(position);
    }
  }
}

/** Ends a stream from which nothing comes for too long while the next chunk is awaited. */
async function* withTimeout(stream: Readable): AsyncGenerator<Buffer, void> {
  const giveUp = () => stream.destroy(new Error(`nothing came within ${CHUNK_TIMEOUT_MS} ms`));
  let timer = setTimeout(giveUp, CHUNK_TIMEOUT_MS);
  try {
    for await (const chunk of stream) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(giveUp, CHUNK_TIMEOUT_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}
