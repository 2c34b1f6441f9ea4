import type { Readable } from 'node:stream';
import { AppError } from '../../../domain/errors.ts';
import type { ByteRange, Pieces } from '../../storage.ts';
import type { Bucket } from './bucket.ts';

/** Up to here a range is handed out at once. */
const WHOLE_BYTES = 64 * 1024;
/** S3 is not waited for any longer between two pieces. */
const SILENCE_MS = 10_000;

/** Rejects with AppError `not-found` when there is no such object. */
export async function readRange(bucket: Bucket, key: string, range: ByteRange): Promise<Buffer | Pieces> {
  const length = range.end + 1 - range.start;
  if (length <= 0) return Buffer.alloc(0);
  const pieces = await openPieces(range, async (rest) => {
    const stream = await bucket.getRange(key, rest);
    if (!stream) throw new AppError('not-found', 'This file has just been removed.');
    return stream;
  });
  return length <= WHOLE_BYTES ? join(pieces) : pieces;
}

/** One stream, so that it outlives a removal; where it breaks, another one goes on. */
async function openPieces(
  { start, end }: ByteRange,
  get: (rest: ByteRange) => Promise<Readable>,
): Promise<Pieces> {
  let position = start;
  let stream = follow(await get({ start, end }));
  /** Twice at one place is once too often. */
  let brokenAt = -1;

  async function next(): Promise<IteratorResult<Buffer, void>> {
    if (position > end) return { done: true, value: undefined };
    try {
      const piece = await stream.next();
      position += piece.length;
      return { done: false, value: piece };
    } catch (error) {
      stream.end();
      if (brokenAt === position) throw error;
      brokenAt = position;
      stream = follow(await get({ start: position, end }));
      return next();
    }
  }

  const pieces: Pieces = {
    next,
    async return() {
      position = end + 1;
      stream.end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => pieces,
  };
  return pieces;
}

/** Piece after piece of a stream. What breaks it while nobody asks is told to who asks next. */
function follow(stream: Readable) {
  stream.on('error', () => {});
  const iterator: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  return {
    /** Rejects when the stream ends, breaks, or says nothing. */
    async next(): Promise<Buffer> {
      const silent = () => stream.destroy(new Error(`nothing came within ${SILENCE_MS} ms`));
      const timer = setTimeout(silent, SILENCE_MS);
      try {
        const { done, value } = await iterator.next();
        if (done) throw new Error('less came than there is');
        return value;
      } finally {
        clearTimeout(timer);
      }
    },
    end: () => void stream.destroy(),
  };
}

async function join(pieces: Pieces): Promise<Buffer> {
  const whole: Buffer[] = [];
  for await (const piece of pieces) whole.push(piece);
  return Buffer.concat(whole);
}
