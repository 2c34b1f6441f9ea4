import type { FileHandle } from 'node:fs/promises';
import { translateDiskError } from '../errors.ts';
import { WriteBuffer } from '../write-buffer.ts';

/** How much is kept in memory before the file is opened: most uploads are smaller and take one write. */
const SMALL_BYTES = 64 * 1024;

/** A file that is written in few large batches. `open` opens it to append; it is called with the first batch. */
export function createGrowingFile(open: () => Promise<FileHandle>, batchBytes: number) {
  let opening: Promise<FileHandle> | undefined;

  function opened(): Promise<FileHandle> {
    opening ??= open();
    return opening;
  }

  const buffer = new WriteBuffer({
    smallBytes: SMALL_BYTES,
    batchBytes,
    isEven: false,
    write: async (batch) => (await opened()).appendFile(batch),
  });

  return {
    opened,
    append: (chunk: Buffer): Promise<void> | undefined => buffer.append(chunk)?.catch(throwTranslated),

    /** Writes and flushes all bytes, and others after them. */
    async flush(after: Buffer = Buffer.alloc(0)): Promise<void> {
      try {
        const rest = await buffer.finish();
        const file = await opened();
        if (rest.length + after.length > 0) await file.appendFile(Buffer.concat([rest, after]));
        await file.datasync();
      } catch (error) {
        throw translateDiskError(error);
      }
    },

    /** Resolves when no write is under way. */
    settle: () => buffer.settle(),
    /** Closes the file if it was opened. */
    async close(): Promise<void> {
      await buffer.settle();
      const file = await opening?.catch(() => undefined);
      opening = undefined;
      await file?.close();
    },
  };
}

function throwTranslated(error: unknown): never {
  throw translateDiskError(error);
}
