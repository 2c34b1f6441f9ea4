import { type FileHandle, open } from 'node:fs/promises';

/** Written at once. A crash loses the bytes that are gathered, which the client then sends again. */
const BATCH_BYTES = 64 * 1024;
/** The sender waits when more is gathered than this. */
const MAX_GATHERED_BYTES = 256 * 1024;

/** A file that bytes are appended to as they arrive. `beforeWrite` is awaited before each write. */
export class GrowingFile {
  readonly #handle: FileHandle;
  readonly #beforeWrite: () => Promise<void>;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #writtenBytes: number;
  #writing: Promise<void> | undefined;

  private constructor(handle: FileHandle, offset: number, beforeWrite: () => Promise<void>) {
    this.#handle = handle;
    this.#writtenBytes = offset;
    this.#beforeWrite = beforeWrite;
  }

  /** Opens an existing file; what is behind `offset` is cut off. */
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
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    if (this.#gatheredBytes >= BATCH_BYTES) this.#startWriting();
    return this.#gatheredBytes >= MAX_GATHERED_BYTES ? this.#writing : undefined;
  }

  /** Resolves with the size once everything is written and flushed. */
  async flush(): Promise<number> {
    await this.#writing;
    await this.#writeGathered();
    await this.#handle.datasync();
    return this.#writtenBytes;
  }

  /** Drops everything behind `offset`, also what could not be written. */
  async cutBack(offset: number): Promise<void> {
    await this.#writing?.catch(() => {});
    this.#take();
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
    // The next call that awaits this write throws its error; until then it is not unhandled.
    writing.then(
      () => {
        this.#writing = undefined;
      },
      () => {},
    );
  }

  async #writeGathered(): Promise<void> {
    while (this.#gatheredBytes > 0) {
      await this.#beforeWrite();
      const length = this.#gatheredBytes;
      await this.#write(this.#take(), length);
    }
  }

  async #write(chunks: Buffer[], length: number): Promise<void> {
    const { bytesWritten } = await this.#handle.writev(chunks, this.#writtenBytes);
    this.#writtenBytes += bytesWritten;
    if (bytesWritten === length) return;
    // A disk that is nearly full takes a part; the next write throws the reason.
    const rest = Buffer.concat(chunks, length).subarray(bytesWritten);
    await this.#write([rest], rest.length);
  }

  #take(): Buffer[] {
    const gathered = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    return gathered;
  }
}
