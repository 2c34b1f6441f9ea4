import type { FileHandle } from 'node:fs/promises';
import type { UploadDescription } from '../../../domain/upload.ts';
import { createBatches } from '../batches.ts';
import { orStorageFull } from '../errors.ts';
import { encodeFooter } from './stored-file.ts';

/** A file that is written in few large batches. `open` opens it to append; it is called with the first batch. */
export function createGrowingFile(open: () => Promise<FileHandle>, batchBytes: number) {
  let opening: Promise<FileHandle> | undefined;

  function opened(): Promise<FileHandle> {
    opening ??= open();
    return opening;
  }

  const batches = createBatches(batchBytes, async (batch) => (await opened()).appendFile(batch));

  async function flush(after: Buffer): Promise<void> {
    const rest = await batches.finish();
    const file = await opened();
    if (rest.length + after.length > 0) await file.appendFile(Buffer.concat([rest, after]));
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
    /** Returns a promise while the memory of the chunk must not be reused. */
    append(chunk: Buffer): Promise<void> | undefined {
      const appending = batches.append(chunk);
      return appending && orStorageFull(appending);
    },
    /** Writes and flushes all bytes. */
    flush: (): Promise<void> => orStorageFull(flush(Buffer.alloc(0))),
    /** Writes and flushes all bytes and their description, which makes it a stored file, and closes it. */
    finish: (description: UploadDescription): Promise<void> =>
      orStorageFull(flush(encodeFooter(description))).finally(close),
    /** Resolves when no write is under way. */
    settle: batches.settle,
    /** Closes the file if it was opened. */
    close,
  };
}
