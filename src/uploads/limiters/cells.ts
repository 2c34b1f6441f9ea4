/** Arrivals in a cell: the default limit, so that an address takes one cell and its /48 network eight. */
export const CELL = 40;
export const CELL_BYTES = CELL * 8 + 4;

export const cellsFor = (limit: number): number => Math.ceil(limit / CELL);

/**
 * Memory for rings of arrivals of any length, taken once and never moved: cells, linked into a ring when in use and
 * into a chain when free. Thus a long ring needs no gap of its own length, and is freed in one step.
 */
export class Cells {
  /** When each request came, as the clock gave it: rounded, it would let the next one in too early or too late. */
  readonly arrivals: Float64Array;
  readonly #next: Uint32Array;
  #free = 0;
  #freeCount: number;

  constructor(count: number) {
    this.arrivals = new Float64Array(count * CELL);
    this.#next = new Uint32Array(count).map((_, cell) => cell + 1);
    this.#freeCount = count;
  }

  get freeCount(): number {
    return this.#freeCount;
  }

  /** The first slot of a ring of so many cells; as many must be free. */
  takeRing(count: number): number {
    const first = this.#free;
    let last = first;
    for (let taken = 1; taken < count; taken++) last = this.#next[last]!;
    this.#free = this.#next[last]!;
    this.#next[last] = first;
    this.#freeCount -= count;
    return first * CELL;
  }

  /** Takes back the ring of so many cells that this slot is in: opened there, it goes before the free ones. */
  giveBackRing(slot: number, count: number): void {
    const last = Math.floor(slot / CELL);
    const first = this.#next[last]!;
    this.#next[last] = this.#free;
    this.#free = first;
    this.#freeCount += count;
  }

  /** The slot that follows in the ring. */
  after(slot: number): number {
    const following = slot + 1;
    return following % CELL === 0 ? this.#next[following / CELL - 1]! * CELL : following;
  }
}
