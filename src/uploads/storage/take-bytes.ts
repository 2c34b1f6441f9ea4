import { createHash } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import type { Draft, StageOptions } from '../storage.ts';

const HEAD_BYTES = 4100;

/** Takes the stream to its end in one pass: count, hash, append. */
export async function takeBytes(
  stream: Readable,
  append: (chunk: Buffer) => Promise<void>,
  { maxBytes, signal }: StageOptions = {},
): Promise<Pick<Draft, 'size' | 'sha256' | 'head'>> {
  if (signal) addAbortSignal(signal, stream);
  const hash = createHash('sha256');
  let size = 0;
  let head = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (maxBytes !== undefined && size > maxBytes) throw tooLarge(maxBytes);
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
    hash.update(chunk);
    await append(chunk);
  }
  return { size, sha256: hash.digest('hex'), head };
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too-large', `A file may have at most ${maxBytes.toLocaleString('en')} bytes.`);
}
