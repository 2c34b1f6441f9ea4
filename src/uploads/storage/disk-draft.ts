import { createHash } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import type { Draft, StageOptions } from '../storage.ts';
import { BatchedFile } from './batched-file.ts';
import { explainFull } from './disk-errors.ts';
import { encodeFooter } from './disk-file.ts';

const HEAD_BYTES = 4100;

/** Stages a stream into the file `path`; `place` is to move that file to where it is visible under an id. */
export async function stageDraft(
  stream: Readable,
  path: string,
  place: (id: string) => Promise<void>,
  options: StageOptions = {},
): Promise<Draft> {
  const file = new BatchedFile(path);

  async function orDiscard<T>(operation: Promise<T>): Promise<T> {
    try {
      return await operation;
    } catch (error) {
      await file.discard();
      throw explainFull(error);
    }
  }

  async function publish(id: string, footer: Buffer): Promise<void> {
    await file.finish(footer);
    await place(id);
  }

  return {
    ...(await orDiscard(receive(stream, file, options))),
    publish: (id, description) => orDiscard(publish(id, encodeFooter(description))),
    discard: () => file.discard(),
  };
}

/** One pass: count, hash, append. */
async function receive(stream: Readable, file: BatchedFile, { maxBytes, signal }: StageOptions) {
  if (signal) addAbortSignal(signal, stream);
  const hash = createHash('sha256');
  let size = 0;
  let head = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (maxBytes !== undefined && size > maxBytes) throw tooLarge(maxBytes);
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
    hash.update(chunk);
    await file.append(chunk);
  }
  return { size, sha256: hash.digest('hex'), head };
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too-large', `A file may have at most ${maxBytes.toLocaleString('en')} bytes.`);
}
