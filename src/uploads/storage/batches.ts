export interface BatchesOptions {
  /** What gathers first: most uploads are smaller, and nobody needs to set aside more for them. */
  smallBytes: number;
  /** Larger ones are written in pieces of this size; two of these are all the memory an upload takes. */
  batchBytes: number;
  /** Whether even the first piece must have that size. */
  isEven: boolean;
  /** Is given a piece for good; the next one is not written before. */
  write(piece: Buffer): Promise<void>;
}

/** Many uploads are smaller still: this comes from a pool. */
const FIRST_BYTES = 2 * 1024;

/**
 * Gathers bytes into few large pieces, one of them being written while the next one fills. Who appends waits when both
 * are full, so memory stays flat whatever the size.
 */
export class Batches {
  readonly #options: BatchesOptions;
  #filling: Buffer;
  #filled = 0;
  #spare: Buffer | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: BatchesOptions) {
    this.#options = options;
    this.#filling = Buffer.allocUnsafe(Math.min(FIRST_BYTES, options.smallBytes));
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

  /** Resolves once all pieces so far are written, with what is left. */
  async finish(): Promise<Buffer> {
    await this.#writing;
    return this.#filling.subarray(0, this.#filled);
  }

  /** Resolves when nothing is being written any more, well or not. */
  async settle(): Promise<void> {
    await this.#writing?.catch(() => {});
  }

  async #makeRoom(): Promise<void> {
    const { smallBytes, batchBytes, isEven } = this.#options;
    if (this.#filling.length < smallBytes) this.#grow(smallBytes);
    else if (isEven && this.#filling.length < batchBytes) this.#grow(batchBytes);
    else await this.#writePiece();
  }

  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafe(bytes);
    this.#filling.copy(larger);
    this.#filling = larger;
  }

  async #writePiece(): Promise<void> {
    const { batchBytes, write } = this.#options;
    await this.#writing;
    const full = this.#filling;
    this.#writing = write(full);
    // Whoever waits for it next throws; until then nobody listens.
    this.#writing.catch(() => {});
    this.#filling = this.#spare ?? Buffer.allocUnsafe(batchBytes);
    this.#filled = 0;
    this.#spare = full.length === batchBytes ? full : undefined;
  }
}
