import { createHash } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { AppError } from '../../domain/errors.ts';
import { expiryOf, type UploadDescription } from '../../domain/upload.ts';
import type { Draft, StageOptions } from '../storage.ts';

const HEAD_BYTES = 4100;

/** Where a storage puts the bytes of one draft. */
export interface Sink {
  append(chunk: Buffer): Promise<void>;
  /** Is asked once, and for an id whose time is not over. */
  publish(id: string, description: UploadDescription): Promise<void>;
  /** Is asked once, and not after `publish` has succeeded. */
  discard(): Promise<void>;
  /** What the storage's own errors mean. */
  explain?(error: unknown): unknown;
}

/** Stages a stream into a sink: what every storage does alike. `clock` tells ms since 1970. */
export async function stageDraft(
  stream: Readable,
  sink: Sink,
  clock: () => number,
  options: StageOptions = {},
): Promise<Draft> {
  let isOver = false;

  async function discard(): Promise<void> {
    if (isOver) return;
    isOver = true;
    await sink.discard();
  }

  async function orDiscard<T>(operation: Promise<T>): Promise<T> {
    try {
      return await operation;
    } catch (error) {
      await discard();
      throw sink.explain?.(error) ?? error;
    }
  }

  async function publish(id: string, description: UploadDescription): Promise<void> {
    if (isOver) throw new Error('This draft has been discarded, or published.');
    expectTimeLeft(id, clock());
    await sink.publish(id, description);
    isOver = true;
  }

  return {
    ...(await orDiscard(receive(stream, sink, options))),
    publish: (id, description) => orDiscard(publish(id, description)),
    discard,
  };
}

/** One pass: count, hash, append. */
async function receive(stream: Readable, sink: Sink, { maxBytes, signal }: StageOptions) {
  if (signal) addAbortSignal(signal, stream);
  const hash = createHash('sha256');
  let size = 0;
  let head = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (maxBytes !== undefined && size > maxBytes) throw tooLarge(maxBytes);
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
    hash.update(chunk);
    await sink.append(chunk);
  }
  return { size, sha256: hash.digest('hex'), head };
}

function expectTimeLeft(id: string, now: number): void {
  const expiry = expiryOf(id);
  if (expiry === undefined) throw new Error(`Not the id of an upload: ${id}`);
  if (expiry <= now) throw new AppError('expired', 'This file expired before all of it had arrived.');
}

/** In words for who uploads; `cause` is for the operator. */
export function noRoom(cause: unknown): AppError {
  return new AppError('storage-full', 'there is no room for this file at the moment; try again later', {
    cause,
  });
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('too-large', `A file may have at most ${maxBytes.toLocaleString('en')} bytes.`);
}
