import type { Readable } from 'node:stream';
import type { Draft, StageOptions } from '../storage.ts';
import { BatchedFile } from './batched-file.ts';
import { explainFull } from './disk-errors.ts';
import { encodeFooter } from './disk-file.ts';
import { takeBytes } from './take-bytes.ts';

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
    ...(await orDiscard(takeBytes(stream, (chunk) => file.append(chunk), options))),
    publish: (id, description) => orDiscard(publish(id, encodeFooter(description))),
    discard: () => file.discard(),
  };
}
