import { AppError } from '../../../domain/errors.ts';
import { uploadLocked } from '../../resumable/resumable-storage.ts';
import type { Chunks } from '../../storage.ts';
import { chunksOf } from '../staged-upload.ts';
import type { S3Bucket } from './bucket.ts';
import { endOf, type Piece } from './pieces.ts';
import { readObjectRange } from './read.ts';

/**
 * Reads the bytes of a chain from `start` to before `end`. Throws AppError `locked` when another process has joined the pieces
 * meanwhile, or published the file. `folder`: of the upload, with its slash.
 */
export async function* readPieces(
  bucket: S3Bucket,
  folder: string,
  chain: readonly Piece[],
  start = 0,
  end = endOf(chain),
): AsyncGenerator<Buffer, void> {
  for (const piece of chain) {
    if (piece.start >= end || piece.end <= start) continue;
    yield* readPiece(bucket, folder + piece.name, {
      start: Math.max(start - piece.start, 0),
      end: Math.min(end, piece.end) - piece.start - 1,
    });
  }
}

function readPiece(bucket: S3Bucket, key: string, range: { start: number; end: number }): Chunks {
  const reading = readObjectRange(bucket, key, range);
  return chunksOf(
    reading.catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
      throw uploadLocked();
    }),
  );
}
