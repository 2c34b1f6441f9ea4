/** Large pieces are worth more than twice the speed to a fast reader, and only memory to a slow one. */
const LARGE_BYTES = 512 * 1024;
const SMALL_BYTES = 32 * 1024;
/** A reader that takes longer than this for one piece is slow. */
const SLOW_MS = 250;
/** A reader of small pieces that takes so many in a row without delay is fast. */
const FAST_PIECES = 16;
/** Readers that have large pieces at the same time: 32 MB, at two pieces each. */
const MAX_LARGE = 32;

/** The size of the pieces that one reader gets. */
export interface PieceSize {
  /** In bytes; to be asked for each piece. */
  next(): number;
  end(): void;
}

/** Shares out large pieces among the readers of a storage. `clock` tells ms. */
export function createPieceSizes(clock: () => number): () => PieceSize {
  let large = 0;

  return () => {
    let isLarge = false;
    let isEnded = false;
    let fastPieces = FAST_PIECES;
    let askedAt = clock();

    function setLarge(wanted: boolean): void {
      const next = wanted && (isLarge || large < MAX_LARGE);
      large += Number(next) - Number(isLarge);
      isLarge = next;
    }

    return {
      next() {
        const at = clock();
        fastPieces = at - askedAt > SLOW_MS ? 0 : fastPieces + 1;
        askedAt = at;
        if (!isEnded) setLarge(fastPieces >= FAST_PIECES);
        return isLarge ? LARGE_BYTES : SMALL_BYTES;
      },
      end() {
        isEnded = true;
        setLarge(false);
      },
    };
  };
}
