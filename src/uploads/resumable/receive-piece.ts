import { createHash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { SpaceReservation } from '../quota.ts';
import type { WritableUpload } from './access.ts';

/** The checksum that the body of one request must have. */
export interface Checksum {
  algorithm: 'sha1' | 'sha256';
  digest: Buffer;
}

/** Receives the next bytes. Resolves once their memory may be reused; throws when they are refused. */
type Append = (chunk: Buffer) => Promise<void>;

/** Reads the body of a request to its end. Rejects when it does not come whole, or `signal` is aborted. */
export type ReadBody = (append: Append, signal: AbortSignal) => Promise<void>;

interface PieceOptions extends Omit<WritableUpload, 'file'>, Pick<SpaceReservation, 'grow'> {
  readBody: ReadBody;
  checksum: Checksum | undefined;
  /** Called with the new offset as soon as bytes are stored. */
  count: (offset: number) => Promise<void>;
}

/** Appends the body of one request to a locked upload. Resolves with the new offset once all bytes are stored. */
export async function receivePiece(options: PieceOptions): Promise<number> {
  const { locked, signal, noteBytes, readBody, checksum, grow, count } = options;
  const { offset, announced } = locked.state;
  const hash = checksum && createHash(checksum.algorithm);
  let arrived = 0;
  let last: Promise<void> | undefined;

  function append(chunk: Buffer): Promise<void> {
    arrived += chunk.length;
    if (offset + arrived > announced.length) throw beyondLength(announced.length);
    noteBytes();
    hash?.update(chunk);
    // In order, and only after its space is reserved; nothing after a failure.
    last = Promise.all([last, grow(arrived)]).then(() => locked.append(chunk));
    return last;
  }

  async function commit(): Promise<number> {
    const next = await locked.commit();
    if (next > offset) await count(next);
    return next;
  }

  if (checksum) await locked.startUnverified();
  try {
    // A connection that breaks does not wait for its last chunks to be appended.
    await readBody(append, signal).finally(() => last);
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
