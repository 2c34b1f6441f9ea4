import type { FileHandle } from 'node:fs/promises';
import type { UploadDescription } from '../../../domain/upload.ts';
import type { UploadId } from '../../../domain/upload-id.ts';
import { createBatches } from '../batches.ts';
import { orStorageFull } from '../errors.ts';
import { chunksOf, type UploadWriter } from '../staged-upload.ts';
import { encodeFooter, readFileRange } from './stored-file.ts';

/** Moves a file to the path of an id. Resolves once a power cut cannot undo it. */
export type PublishFile = (path: string, id: UploadId) => Promise<void>;

/**
 * A file that will be a stored one, written in few large batches. `open` opens it to append; it is called with the first batch,
 * and `pathOf` after that.
 */
export function createStagedFile(
  pathOf: () => string,
  open: () => Promise<FileHandle>,
  batchBytes: number,
  publish: PublishFile,
) {
  let opening: Promise<FileHandle> | undefined;

  function opened(): Promise<FileHandle> {
    opening ??= open();
    return opening;
  }

  const batches = createBatches(batchBytes, async (batch) => (await opened()).appendFile(batch));

  /** Writes and flushes all bytes, and a description after them. */
  async function flush(description?: UploadDescription): Promise<void> {
    const footer = description ? [encodeFooter(description)] : [];
    const last = Buffer.concat([await batches.finish(), ...footer]);
    const file = await opened();
    if (last.length > 0) await file.appendFile(last);
    await file.datasync();
  }

  async function close(): Promise<void> {
    await batches.settle();
    const file = await opening?.catch(() => undefined);
    opening = undefined;
    await file?.close();
  }

  return {
    opened,
    append(chunk) {
      const appending = batches.append(chunk);
      return appending && orStorageFull(appending);
    },
    flush: (): Promise<void> => orStorageFull(flush()),
    read: (size) =>
      chunksOf(orStorageFull(flush()).then(() => readFileRange(pathOf(), { start: 0, end: size - 1 }))),
    async publish(id, description, requireGranted) {
      await orStorageFull(flush(description)).finally(close);
      requireGranted();
      await publish(pathOf(), id);
    },
    /** Resolves when no write is under way. */
    settle: batches.settle,
    /** Closes the file if it was opened. */
    close,
  } satisfies Omit<UploadWriter, 'discard'> & Record<string, unknown>;
}
