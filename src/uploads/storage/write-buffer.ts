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
 * Gathers chunks into few large writes: one batch is written while the next one fills. `append` waits when both are
 * full, so memory does not depend on the size of an upload.
 */
export class WriteBuffer {
  readonly #options: WriteBufferOptions;
  #filling: Buffer;
  #filledBytes = 0;
  #spare: Buffer | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: WriteBufferOptions) {
    this.#options = options;
    this.#filling = Buffer.allocUnsafe(Math.min(FIRST_BYTES, options.smallBytes));
  }

  /** Copies the chunk, because a small one may belong to a far larger buffer. */
  async append(chunk: Buffer): Promise<void> {
    for (let rest = chunk; rest.length > 0; ) {
      if (this.#filledBytes === this.#filling.length) await this.#makeSpace();
      const copied = rest.copy(this.#filling, this.#filledBytes);
      this.#filledBytes += copied;
      rest = rest.subarray(copied);
    }
  }

  /** Resolves with the bytes that remain once all batches have been written. */
  async finish(): Promise<Buffer> {
    await this.#writing;
    return this.#filling.subarray(0, this.#filledBytes);
  }

  /** Resolves when no write is under way, whether or not it succeeded. */
  async settle(): Promise<void> {
    await this.#writing?.catch(() => {});
  }

  async #makeSpace(): Promise<void> {
    const { smallBytes, batchBytes, isEven } = this.#options;
    if (this.#filling.length < smallBytes) this.#enlarge(smallBytes);
    else if (isEven && this.#filling.length < batchBytes) this.#enlarge(batchBytes);
    else await this.#writeBatch();
  }

  #enlarge(bytes: number): void {
    const larger = Buffer.allocUnsafe(bytes);
    this.#filling.copy(larger);
    this.#filling = larger;
  }

  async #writeBatch(): Promise<void> {
    const { batchBytes, write } = this.#options;
    await this.#writing;
    const full = this.#filling;
    this.#writing = write(full);
    // The next call that awaits this write throws its error. Until then Node must not report it as unhandled.
    this.#writing.catch(() => {});
    this.#filling = this.#spare ?? Buffer.allocUnsafe(batchBytes);
    this.#filledBytes = 0;
    this.#spare = full.length === batchBytes ? full : undefined;
  }
}
