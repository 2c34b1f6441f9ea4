import { createHash, type Hash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { requireFree } from '../reserve-space.ts';
import type { LockedUpload } from '../resumable-storage.ts';
import type { Storage } from '../storage.ts';
import type { Writer } from './writers.ts';

/** How many bytes may arrive before free space is read again. */
const CHECK_SPACE_BYTES = 4 * 1024 * 1024;

/** The checksum that the body of one request must have. */
export interface Checksum {
  algorithm: 'sha1' | 'sha256';
  digest: Buffer;
}

/** Receives the next bytes. Returns a promise when the sender has to wait; throws when the bytes are refused. */
type Append = (chunk: Buffer) => Promise<void> | undefined;

/** Reads the body of a request to its end. Rejects when it does not come whole, or `signal` is aborted. */
export type ReadBody = (append: Append, signal: AbortSignal) => Promise<void>;

interface PieceOptions {
  locked: LockedUpload;
  writer: Writer;
  readBody: ReadBody;
  checksum: Checksum | undefined;
  storage: Storage;
}

/** Appends the body of one request to a locked upload. Resolves with the new offset once all bytes are stored. */
export async function receivePiece(options: PieceOptions): Promise<number> {
  const { locked, writer, readBody, checksum, storage } = options;
  const { offset, announced } = locked.state;
  const hash = checksum && createHash(checksum.algorithm);
  let left = announced.length - offset;
  let unchecked = 0;

  function append(chunk: Buffer): Promise<void> | undefined {
    left -= chunk.length;
    if (left < 0) throw beyondLength(announced.length);
    writer.noteBytes();
    hash?.update(chunk);
    unchecked += chunk.length;
    const wait = locked.append(chunk);
    if (unchecked < CHECK_SPACE_BYTES) return wait;
    unchecked = 0;
    return Promise.all([wait, storage.freeBytes().then(requireFree)]).then(() => {});
  }

  requireFree(await storage.freeBytes());
  if (checksum) await locked.startUnverified();
  const read = readBody(append, writer.signal).finally(writer.noteEnd);
  return hash ? commitVerified(locked, read, hash, checksum.digest) : commitArrived(locked, read);
}

export function beyondLength(length: number): AppError {
  return new AppError('too-large', `the body exceeds the announced length of ${length} bytes`);
}

/** Keeps the bytes that have arrived, also when the body breaks off. */
async function commitArrived(locked: LockedUpload, read: Promise<void>): Promise<number> {
  await read.catch(async (error: unknown) => {
    // The reason why the body broke off is more useful than a failure to store what had arrived.
    await locked.commit().catch(() => {});
    throw error;
  });
  return locked.commit();
}

/** Keeps all bytes or none, as the protocol requires. */
async function commitVerified(
  locked: LockedUpload,
  read: Promise<void>,
  hash: Hash,
  digest: Buffer,
): Promise<number> {
  try {
    await read;
    if (!hash.digest().equals(digest)) throw mismatch();
    return await locked.commit();
  } catch (error) {
    await locked.rollback();
    throw error;
  }
}

function mismatch(): AppError {
  return new AppError('checksum-mismatch', 'the bytes do not match Upload-Checksum; send them again');
}
