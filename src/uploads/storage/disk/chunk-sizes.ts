/** Large chunks more than double the speed of a fast reader; a slow one gains nothing from them. */
const LARGE_BYTES = 512 * 1024;
const SMALL_BYTES = 32 * 1024;
/** A reader that takes longer than this for one chunk is slow. */
const SLOW_MS = 250;
/** A slow reader becomes fast again after so many chunks in a row without delay. */
const FAST_CHUNKS = 16;
/** How many readers may have large chunks at the same time; with two chunks each, they take 32 MB. */
const MAX_LARGE_READERS = 32;

/** The size of the chunks that one reader gets. */
export interface ChunkSize {
  /** Returns the size of the next chunk in bytes; to be called once for each. */
  next(): number;
  /** Has to be called after the last chunk. */
  end(): void;
}

/** Distributes large chunks among the readers of a storage. `clock` returns ms. */
export function createChunkSizes(clock: () => number): () => ChunkSize {
  let largeReaders = 0;

  return () => {
    let isLarge = false;
    let isEnded = false;
    let fastChunks = FAST_CHUNKS;
    let lastAt = clock();

    function setLarge(wanted: boolean): void {
      const next = wanted && (isLarge || largeReaders < MAX_LARGE_READERS);
      largeReaders += Number(next) - Number(isLarge);
      isLarge = next;
    }

    return {
      next() {
        const at = clock();
        fastChunks = at - lastAt > SLOW_MS ? 0 : fastChunks + 1;
        lastAt = at;
        if (!isEnded) setLarge(fastChunks >= FAST_CHUNKS);
        return isLarge ? LARGE_BYTES : SMALL_BYTES;
      },
      end() {
        isEnded = true;
        setLarge(false);
      },
    };
  };
}
