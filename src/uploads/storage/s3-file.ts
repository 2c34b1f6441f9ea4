import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../../domain/errors.ts';
import type { UploadDescription } from '../../domain/upload.ts';
import type { ByteRange, Pieces, StoredFile } from '../storage.ts';
import type { Bucket } from './s3-bucket.ts';

/** Up to here a range is handed out in one piece. */
const WHOLE_BYTES = 512 * 1024;
/** A server that sends nothing more for so long is given up. */
const SILENCE_LIMIT_MS = 30_000;

/** What lies under the id: the description, and the key of the bytes. */
interface Entry {
  description: UploadDescription;
  bytes: string;
}

export function encodeEntry(description: UploadDescription, bytes: string): Buffer {
  return Buffer.from(JSON.stringify({ description, bytes } satisfies Entry));
}

/** Undefined when there is no such object. */
export async function readEntry(bucket: Bucket, key: string): Promise<Entry | undefined> {
  const stream = await bucket.get(key);
  return stream && JSON.parse(String(await buffer(stream)));
}

export function fileOf(bucket: Bucket, { description, bytes }: Entry): StoredFile {
  return {
    description,
    async read({ start, end }: ByteRange = { start: 0, end: description.size - 1 }) {
      if (end < start) return Buffer.alloc(0);
      const stream = await bucket.get(bytes, { start, end });
      if (!stream) throw new AppError('not-found', 'This file has just been removed.');
      return end - start < WHOLE_BYTES ? await buffer(untilSilent(stream)) : untilSilent(stream);
    },
  };
}

function untilSilent(stream: Readable): Pieces {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer, void>;
  return {
    async next() {
      const giveUp = () => stream.destroy(new Error('the store has sent nothing more'));
      const timer = setTimeout(giveUp, SILENCE_LIMIT_MS);
      return await chunks.next().finally(() => clearTimeout(timer));
    },
    async return() {
      stream.destroy();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
