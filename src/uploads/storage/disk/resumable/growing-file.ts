import { type FileHandle, open } from 'node:fs/promises';

/** A write starts when this much is in the buffer. A crash loses what is in the buffer; the client then sends it again. */
const BATCH_BYTES = 64 * 1024;
/** One buffer is filled while the other is written. */
const BUFFER_BYTES = 256 * 1024;

/** A file that bytes are appended to as they arrive. `beforeWrite` is awaited before each write. */
export class GrowingFile {
  readonly #handle: FileHandle;
  readonly #beforeWrite: () => Promise<void>;
  #filling: Buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #filledBytes = 0;
  #spare: Buffer | undefined;
  /** Chunks for which `#filling` has no space yet. */
  #waiting: Buffer[] = [];
  #writtenBytes: number;
  #writing: Promise<void> | undefined;

  private constructor(handle: FileHandle, offset: number, beforeWrite: () => Promise<void>) {
    this.#handle = handle;
    this.#writtenBytes = offset;
    this.#beforeWrite = beforeWrite;
  }

  /** Opens an existing file and truncates it to `offset`. */
  static async open(path: string, offset: number, beforeWrite: () => Promise<void>): Promise<GrowingFile> {
    const handle = await open(path, 'r+');
    try {
      if ((await handle.stat()).size > offset) await handle.truncate(offset);
      return new GrowingFile(handle, offset, beforeWrite);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Returns a promise when the sender has to wait. */
  append(chunk: Buffer): Promise<void> | undefined {
    this.#waiting.push(chunk);
    this.#fill();
    if (this.#filledBytes >= BATCH_BYTES) this.#startWriting();
    return BUFFER_BYTES - this.#filledBytes < BATCH_BYTES ? this.#writing : undefined;
  }

  /** Resolves with the size once everything is written and flushed. */
  async flush(): Promise<number> {
    await this.#writing;
    await this.#writeGathered();
    await this.#handle.datasync();
    return this.#writtenBytes;
  }

  /** Drops everything after `offset`, also what could not be written. */
  async truncate(offset: number): Promise<void> {
    await this.#writing?.catch(() => {});
    this.#filledBytes = 0;
    this.#waiting = [];
    await this.#handle.truncate(offset);
    await this.#handle.datasync();
    this.#writtenBytes = offset;
  }

  async close(): Promise<void> {
    await this.#writing?.catch(() => {});
    await this.#handle.close();
  }

  #startWriting(): void {
    if (this.#writing) return;
    const writing = this.#writeGathered();
    this.#writing = writing;
    // The next call that awaits this write throws its error. Until then Node must not report it as unhandled.
    writing.then(
      () => {
        this.#writing = undefined;
      },
      () => {},
    );
  }

  async #writeGathered(): Promise<void> {
    while (this.#filledBytes > 0) {
      await this.#beforeWrite();
      const full = this.#filling;
      const batch = full.subarray(0, this.#filledBytes);
      this.#filling = this.#spare ?? Buffer.allocUnsafe(BUFFER_BYTES);
      this.#filledBytes = 0;
      this.#fill();
      await this.#write(batch);
      this.#spare = full;
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    const { bytesWritten } = await this.#handle.write(bytes, 0, bytes.length, this.#writtenBytes);
    this.#writtenBytes += bytesWritten;
    // A disk that is nearly full writes a part; the next write throws the reason.
    if (bytesWritten < bytes.length) await this.#write(bytes.subarray(bytesWritten));
  }

  /** Copies the waiting chunks, so that the buffers of the connection are freed before the disk is done. */
  #fill(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const chunk of waiting) {
      const copied = chunk.copy(this.#filling, this.#filledBytes);
      this.#filledBytes += copied;
      if (copied < chunk.length) this.#waiting.push(chunk.subarray(copied));
    }
  }
}
