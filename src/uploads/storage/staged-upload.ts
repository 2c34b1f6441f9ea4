import { createHash } from 'node:crypto';
import type { UploadDescription } from '../../domain/upload.ts';
import type { UploadId } from '../../domain/upload-id.ts';
import { type Chunks, fileTooLarge, type StagedUpload } from '../storage.ts';

const HEAD_BYTES = 4100;

/** Writes the bytes of one staged upload to a storage. */
export interface UploadWriter {
  /** Returns a promise while the memory of the chunk must not be reused. */
  append(chunk: Buffer): Promise<void> | undefined;
  /** Yields what was appended, `size` bytes. Called before `publish` and `discard`. */
  read(size: number): Chunks;
  /** Called once at most. Calls `requireGranted` as `StagedUpload.publish` says. */
  publish(id: UploadId, description: UploadDescription, requireGranted: () => void): Promise<void>;
  /** Called once at most, and not after `publish` has succeeded. */
  discard(): Promise<void>;
}

/**
 * Stages bytes, which may be a stream: the part that all storages have in common. Requests a chunk only when the
 * previous one is no longer needed, because its memory may be reused.
 */
export async function stageUpload(
  bytes: AsyncIterable<Buffer>,
  writer: UploadWriter,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<StagedUpload> {
  let isOver = false;

  async function discard(): Promise<void> {
    if (isOver) return;
    isOver = true;
    await writer.discard();
  }

  const publish: StagedUpload['publish'] = async (id, description, requireGranted = () => {}) => {
    if (isOver) throw new Error('This staged upload has been published or discarded.');
    try {
      await writer.publish(id, description, requireGranted);
      isOver = true;
    } catch (error) {
      await discard();
      throw error;
    }
  };

  try {
    const written = await write(bytes, writer, maxBytes);
    return { ...written, read: () => writer.read(written.size), publish, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Counts, hashes and writes the bytes in one pass. */
async function write(bytes: AsyncIterable<Buffer>, writer: UploadWriter, maxBytes: number) {
  const hash = createHash('sha256');
  let size = 0;
  let head = Buffer.alloc(0);
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw fileTooLarge(maxBytes);
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES);
    hash.update(chunk);
    await writer.append(chunk);
  }
  return { size, sha256: hash.digest('hex'), head };
}

/** Yields what a read resolves with. */
export async function* chunksOf(reading: Promise<Buffer | Chunks>): AsyncGenerator<Buffer, void> {
  const bytes = await reading;
  yield* Buffer.isBuffer(bytes) ? [bytes] : bytes;
}
