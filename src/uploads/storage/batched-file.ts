import { type FileHandle, open, unlink } from 'node:fs/promises';
import { Batches } from './batches.ts';
import { unlessMissing } from './disk-errors.ts';

/** What gathers in memory before there is a file at all: most uploads are smaller and take one write. */
const SMALL_BYTES = 64 * 1024;
const BATCH_BYTES = 512 * 1024;

/** A file that is written in few large pieces. */
export class BatchedFile {
  readonly #path: string;
  readonly #batches: Batches;
  #handle: FileHandle | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#batches = new Batches({
      smallBytes: SMALL_BYTES,
      batchBytes: BATCH_BYTES,
      isEven: false,
      write: async (piece) => (await this.#open()).appendFile(piece),
    });
  }

  append(chunk: Buffer): Promise<void> {
    return this.#batches.append(chunk);
  }

  /** Writes what is left and `footer` in one go, flushes and closes. */
  async finish(footer: Buffer): Promise<void> {
    const rest = await this.#batches.finish();
    const handle = await this.#open();
    await handle.appendFile(Buffer.concat([rest, footer]));
    await handle.datasync();
    await handle.close();
  }

  /** Closes, and removes the file if it is still where it was. */
  async discard(): Promise<void> {
    await this.#batches.settle();
    if (!this.#handle) return;
    await this.#handle.close();
    await unlessMissing(unlink(this.#path));
  }

  async #open(): Promise<FileHandle> {
    this.#handle ??= await open(this.#path, 'w');
    return this.#handle;
  }
}
