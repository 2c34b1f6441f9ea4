import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { freeingChunks } from '../free-chunk.ts';
import type { SpaceReservation } from '../quota.ts';
import type { WritableUpload } from './access.ts';

/** The checksum that the body of one request must have. */
export interface Checksum {
  algorithm: 'sha1' | 'sha256';
  digest: Buffer;
}

/** Yields the body of a request to its end. Throws when it does not come whole, or `signal` is aborted. */
export type Body = (signal: AbortSignal) => AsyncIterable<Buffer>;

interface PieceOptions extends Omit<WritableUpload, 'file'>, Pick<SpaceReservation, 'grow'> {
  body: Body;
  checksum: Checksum | undefined;
  /** Called with the new offset as soon as bytes are stored. */
  count: (offset: number) => Promise<void>;
}

/** Appends the body of one request to a locked upload. Resolves with the new offset once all bytes are stored. */
export async function receivePiece(options: PieceOptions): Promise<number> {
  const { locked, signal, noteBytes, body, checksum, grow, count } = options;
  const { offset, announced } = locked.state;
  const hash = checksum && createHash(checksum.algorithm);

  async function append(): Promise<void> {
    let arrived = 0;
    for await (const chunk of freeingChunks(body(signal))) {
      arrived += chunk.length;
      if (offset + arrived > announced.length) throw beyondLength(announced.length);
      noteBytes();
      hash?.update(chunk);
      await grow(arrived);
      await locked.append(chunk);
    }
  }

  async function commit(): Promise<number> {
    const next = await locked.commit();
    if (next > offset) await count(next);
    return next;
  }

  if (checksum) await locked.startUnverified();
  try {
    await append();
    if (checksum && !hash?.digest().equals(checksum.digest))
      throw new AppError('checksum-mismatch', 'the bytes do not match Upload-Checksum; send them again');
    if (checksum) return await commit();
  } catch (error) {
    // With a checksum all bytes are kept or none, as the protocol requires; else those that have arrived. The reason why the
    // body broke off is more useful than a failure to store them.
    await (checksum ? locked.rollback() : commit().catch(() => {}));
    throw error;
  }
  return commit();
}

/** AppError `too-large`, for more bytes than were announced. */
export function beyondLength(length: number): AppError {
  return new AppError('too-large', `the body exceeds the announced length of ${length} bytes`);
}
