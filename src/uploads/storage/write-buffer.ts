interface WriteBufferOptions {
  /** How much is gathered before a buffer of `batchBytes` is used: most uploads are smaller, and need no more memory. */
  smallBytes: number;
  /** The size of later writes. An upload takes the memory of two of them. */
  batchBytes: number;
  /** Whether the first write must have the size of the later ones. */
  isEven: boolean;
  /** Called with one batch after the other, each time after the previous write has ended. */
  write(batch: Buffer): Promise<void>;
}

/** The size of the first buffer: less than half of Node's buffer pool, so that it is taken from the pool. */
const FIRST_BYTES = 2 * 1024;

/**
 * Gathers chunks into few large writes: one batch is written while the next one fills. `append` accepts every chunk at
 * once, and returns a promise when both are full, so that memory does not depend on the size of an upload.
 */
export class WriteBuffer {
  readonly #options: WriteBufferOptions;
  #filling: Buffer;
  #filledBytes = 0;
  #spare: Buffer | undefined;
  #writing: Promise<void> | undefined;
  /** Resolved once the last chunk that had to wait has been copied. */
  #waiting: Promise<void> | undefined;

  constructor(options: WriteBufferOptions) {
    this.#options = options;
    this.#filling = Buffer.allocUnsafe(Math.min(FIRST_BYTES, options.smallBytes));
  }

  /**
   * Copies the chunk, because a small one may belong to a far larger buffer. While it cannot be copied, returns a promise
   * that resolves once it has been, and rejects when a write has failed.
   */
  append(chunk: Buffer): Promise<void> | undefined {
    const rest = this.#waiting ? chunk : this.#copy(chunk);
    if (rest.length === 0) return undefined;
    const waiting = this.#copyLater(rest, this.#waiting).then(() => {
      if (this.#waiting === waiting) this.#waiting = undefined;
    });
    this.#waiting = waiting;
    waiting.catch(() => {});
    return waiting;
  }

  /** Resolves with the bytes that remain once all batches have been written. */
  async finish(): Promise<Buffer> {
    await this.#waiting;
    await this.#writing;
    const rest = this.#filling.subarray(0, this.#filledBytes);
    this.#filledBytes = 0;
    this.#filling = Buffer.alloc(0);
    return rest;
  }

  /** Resolves when no write is under way, whether or not it succeeded. */
  async settle(): Promise<void> {
    await this.#writing?.catch(() => {});
  }

  async #copyLater(chunk: Buffer, earlier: Promise<void> | undefined): Promise<void> {
    await earlier;
    for (let rest = chunk; rest.length > 0; rest = this.#copy(rest)) await this.#writing;
  }

  /** Returns what does not fit. */
  #copy(chunk: Buffer): Buffer {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#filledBytes === this.#filling.length && !this.#makeSpace()) break;
      const copied = rest.copy(this.#filling, this.#filledBytes);
      this.#filledBytes += copied;
      rest = rest.subarray(copied);
    }
    return rest;
  }

  /** Returns false while the other buffer is being written, or when that has failed. */
  #makeSpace(): boolean {
    const { smallBytes, batchBytes, isEven } = this.#options;
    if (this.#filling.length < smallBytes) this.#enlarge(smallBytes);
    else if (isEven && this.#filling.length < batchBytes) this.#enlarge(batchBytes);
    else if (this.#writing) return false;
    else this.#startWriting();
    return true;
  }

  #enlarge(bytes: number): void {
    const larger = Buffer.allocUnsafe(bytes);
    this.#filling.copy(larger, 0, 0, this.#filledBytes);
    this.#filling = larger;
  }

  #startWriting(): void {
    const { batchBytes, write } = this.#options;
    const full = this.#filling;
    this.#filling = this.#spare ?? Buffer.allocUnsafe(batchBytes);
    this.#filledBytes = 0;
    this.#writing = write(full).then(() => {
      this.#spare = full.length === batchBytes ? full : undefined;
      this.#writing = undefined;
    });
    // After a failure, the next call that awaits the write throws its error. Until then it must not count as unhandled.
    this.#writing.catch(() => {});
  }
}
