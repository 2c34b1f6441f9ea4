import { type FileHandle, open, unlink } from 'node:fs/promises';
import { unlessMissing } from './disk-errors.ts';

/** What gathers in memory before there is a file at all: most uploads are smaller and take one write. */
const SMALL_BYTES = 64 * 1024;
/** Many are smaller still: this comes from a pool. */
const FIRST_BYTES = 2 * 1024;
/** Larger ones are written in pieces of this size; two of these are all the memory an upload takes. */
const BATCH_BYTES = 512 * 1024;

/**
 * A file that is written in few large pieces, one of them on its way to the disk while the next one fills.
 * Who appends waits when both are full, so memory stays flat whatever the size.
 */
export class BatchedFile {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #filling: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #filled = 0;
  #spare: Buffer | undefined;
  #writing: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Copies the bytes: a chunk may be a sliver of a buffer that is many times its size. */
  async append(chunk: Buffer): Promise<void> {
    for (let rest = chunk; rest.length > 0; ) {
      if (this.#filled === this.#filling.length) await this.#makeRoom();
      const copied = rest.copy(this.#filling, this.#filled);
      this.#filled += copied;
      rest = rest.subarray(copied);
    }
  }

  /** Writes what is left and `footer` in one go, flushes and closes. */
  async finish(footer: Buffer): Promise<void> {
    await this.#writing;
    this.#handle ??= await open(this.#path, 'w');
    await this.#handle.appendFile(Buffer.concat([this.#filling.subarray(0, this.#filled), footer]));
    await this.#handle.datasync();
    await this.#handle.close();
  }

  /** Closes, and removes the file if it is still where it was. */
  async discard(): Promise<void> {
    if (!this.#handle) return;
    await this.#writing?.catch(() => {});
    await this.#handle.close();
    await unlessMissing(unlink(this.#path));
  }

  async #makeRoom(): Promise<void> {
    if (this.#filling.length === FIRST_BYTES) this.#filling = Buffer.concat([this.#filling], SMALL_BYTES);
    else await this.#writeBatch();
  }

  async #writeBatch(): Promise<void> {
    await this.#writing;
    this.#handle ??= await open(this.#path, 'w');
    const full = this.#filling;
    this.#writing = this.#handle.appendFile(full);
    // Whoever waits for it next throws; until then nobody listens.
    this.#writing.catch(() => {});
    this.#filling = this.#spare ?? Buffer.allocUnsafe(BATCH_BYTES);
    this.#filled = 0;
    this.#spare = full.length === BATCH_BYTES ? full : undefined;
  }
}
