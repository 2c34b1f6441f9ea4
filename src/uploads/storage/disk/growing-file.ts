import type { FileHandle } from 'node:fs/promises';
import { createBatches } from '../batches.ts';
import { orStorageFull } from '../errors.ts';

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

  return {
    opened,
    /** Returns a promise while the memory of the chunk must not be reused. */
    append(chunk: Buffer): Promise<void> | undefined {
      const appending = batches.append(chunk);
      return appending && orStorageFull(appending);
    },
    /** Writes and flushes all bytes, and others after them. */
    flush: (after: Buffer = Buffer.alloc(0)): Promise<void> => orStorageFull(flush(after)),
    /** Resolves when no write is under way. */
    settle: batches.settle,
    /** Closes the file if it was opened. */
    async close(): Promise<void> {
      await batches.settle();
      const file = await opening?.catch(() => undefined);
      opening = undefined;
      await file?.close();
    },
  };
}
