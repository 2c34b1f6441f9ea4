/** Where a number of a row stands, counted from the row. */
const OLDER = 2;
const NEWER = 3;
export const LIMIT = 4;
export const COUNTED = 5;
export const FIRST = 6;
export const NEXT = 7;
/** 32 bytes: the numbers of a row lie together, for it is the memory that a look-up waits for, not the sums. */
const WIDTH = 8;

/**
 * Rows of numbers, handed out and taken back; those in use in the order of their latest use. A row is called by the
 * place of its first number in `numbers`.
 */
export class Rows {
  /** What the owner keeps of a row: its LIMIT, COUNTED, FIRST and NEXT. */
  readonly numbers: Uint32Array;
  /** The first eight bytes of each row. */
  readonly #latestUse: Float64Array;
  /** Stands before the oldest row and after the newest, and closes the chain of the free ones. */
  readonly #end: number;
  #free = 0;

  constructor(count: number) {
    const memory = new ArrayBuffer((count + 1) * WIDTH * 4);
    this.numbers = new Uint32Array(memory);
    this.#latestUse = new Float64Array(memory);
    this.#end = count * WIDTH;
    for (let row = 0; row < this.#end; row += WIDTH) this.numbers[row + NEWER] = row + WIDTH;
    this.numbers[this.#end + OLDER] = this.numbers[this.#end + NEWER] = this.#end;
    this.#latestUse[this.#end / 2] = Infinity;
  }

  /** From 0 on, without gaps: for what a row has beside its numbers. */
  indexOf(row: number): number {
    return row / WIDTH;
  }

  /** The row whose latest use is the oldest of all. */
  get oldest(): number {
    return this.numbers[this.#end + NEWER]!;
  }

  /** When that was; Infinity, as if still to come, when no row is in use. */
  get oldestUse(): number {
    return this.latestUse(this.oldest);
  }

  latestUse(row: number): number {
    return this.#latestUse[row / 2]!;
  }

  /** Hands out a free row, of which there must be one. */
  take(now: number): number {
    const row = this.#free;
    this.#free = this.numbers[row + NEWER]!;
    this.#append(row, now);
    return row;
  }

  use(row: number, now: number): void {
    if (this.numbers[row + NEWER] === this.#end) this.#latestUse[row / 2] = now;
    else {
      this.#remove(row);
      this.#append(row, now);
    }
  }

  giveBack(row: number): void {
    this.#remove(row);
    this.numbers[row + NEWER] = this.#free;
    this.#free = row;
  }

  #append(row: number, now: number): void {
    const newest = this.numbers[this.#end + OLDER]!;
    this.numbers[newest + NEWER] = this.numbers[this.#end + OLDER] = row;
    this.numbers[row + OLDER] = newest;
    this.numbers[row + NEWER] = this.#end;
    this.#latestUse[row / 2] = now;
  }

  #remove(row: number): void {
    const older = this.numbers[row + OLDER]!;
    const newer = this.numbers[row + NEWER]!;
    this.numbers[older + NEWER] = newer;
    this.numbers[newer + OLDER] = older;
  }
}
