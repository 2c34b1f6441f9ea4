/** The size of the first buffer: less than half of Node's buffer pool, so that it is taken from the pool. */
const FIRST_BYTES = 2 * 1024;
/** Each larger buffer is so many times as large: most uploads are small, and need no buffer of a whole batch. */
const GROWTH = 32;

export type Batches = ReturnType<typeof createBatches>;

/**
 * Gathers chunks into writes of `batchBytes`: one batch is written while the next one fills, so the memory of two does for an
 * upload of any size. `write` is called with one batch after the other.
 */
export function createBatches(batchBytes: number, write: (batch: Buffer) => Promise<void>) {
  let filling: Buffer = Buffer.alloc(0);
  let filledBytes = 0;
  let spare: Buffer | undefined;
  let writing: Promise<void> | undefined;

  function enlarge(): void {
    const larger = Buffer.allocUnsafe(Math.min(Math.max(filling.length * GROWTH, FIRST_BYTES), batchBytes));
    filling.copy(larger);
    filling = larger;
  }

  function startWriting(): void {
    const full = filling;
    filling = spare ?? Buffer.allocUnsafe(batchBytes);
    filledBytes = 0;
    spare = undefined;
    writing = write(full).then(() => {
      spare = full;
    });
    // The next call that awaits the write throws its error. Until then it must not count as unhandled.
    writing.catch(() => {});
  }

  return {
    /** Copies the chunk. May be called again once that has been done. Rejects when a write has failed. */
    async append(chunk: Buffer): Promise<void> {
      for (let at = 0; at < chunk.length; ) {
        if (filledBytes === batchBytes) {
          await writing;
          startWriting();
        } else if (filledBytes === filling.length) enlarge();
        const copied = chunk.copy(filling, filledBytes, at);
        filledBytes += copied;
        at += copied;
      }
    },

    /** Resolves with the bytes that remain once all batches have been written. */
    async finish(): Promise<Buffer> {
      await writing;
      const rest = filling.subarray(0, filledBytes);
      filling = Buffer.alloc(0);
      filledBytes = 0;
      return rest;
    },

    /** Resolves when no write is under way, whether or not it succeeded. */
    async settle(): Promise<void> {
      await writing?.catch(() => {});
    },
  };
}
