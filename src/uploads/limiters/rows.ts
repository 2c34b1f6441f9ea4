/** Row numbers from 0, handed out and taken back; those in use in the order of their latest use. */
export class Rows {
  /** Stands before the oldest row and after the newest, and closes the chain of the free ones. */
  readonly #end: number;
  readonly #latestUse: Float64Array;
  readonly #older: Uint32Array;
  readonly #newer: Uint32Array;
  #free = 0;

  constructor(count: number) {
    this.#end = count;
    this.#latestUse = new Float64Array(count + 1).fill(Infinity, count);
    this.#older = new Uint32Array(count + 1).fill(count);
    this.#newer = new Uint32Array(count + 1).map((_, row) => row + 1).fill(count, count);
  }

  /** The row whose latest use is the oldest of all. */
  get oldest(): number {
    return this.#newer[this.#end]!;
  }

  /** When that was; Infinity, as if still to come, when no row is in use. */
  get oldestUse(): number {
    return this.latestUse(this.oldest);
  }

  latestUse(row: number): number {
    return this.#latestUse[row]!;
  }

  /** Hands out a free row, of which there must be one. */
  take(now: number): number {
    const row = this.#free;
    this.#free = this.#newer[row]!;
    this.#append(row, now);
    return row;
  }

  use(row: number, now: number): void {
    this.#remove(row);
    this.#append(row, now);
  }

  giveBack(row: number): void {
    this.#remove(row);
    this.#newer[row] = this.#free;
    this.#free = row;
  }

  #append(row: number, now: number): void {
    const newest = this.#older[this.#end]!;
    this.#newer[newest] = this.#older[this.#end] = row;
    this.#older[row] = newest;
    this.#newer[row] = this.#end;
    this.#latestUse[row] = now;
  }

  #remove(row: number): void {
    const older = this.#older[row]!;
    const newer = this.#newer[row]!;
    this.#newer[older] = newer;
    this.#older[newer] = older;
  }
}
