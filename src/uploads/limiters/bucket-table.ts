import type { BucketKey } from '../limiter.ts';
import { CELL, CELL_BYTES, Cells, cellsFor } from './cells.ts';
import { COUNTED, FIRST, LIMIT, NEXT, Rows } from './rows.ts';

const MAX_BYTES = 32 * 1_048_576;
const MAX_KEYS = 65_536;

/** At most 32 in the arrays, 8 for the key and 56 for its characters, 56 in a Map half empty; and 32 to spare. */
const KEY_BYTES = 184;
const KEY = /^[ -~]{1,40}$/;

/** What is left for cells: 66,345, so that every key may have one. */
const MAX_CELLS = Math.floor((MAX_BYTES - MAX_KEYS * KEY_BYTES) / CELL_BYTES);

/**
 * The buckets of at most 65,536 keys in at most 32 MB, nearly all of it taken at the start. A bucket is a row of these
 * arrays and a ring of cells, with room for its whole limit from its first request on: none runs out half-way. It is
 * busy while a request of the last window is in it; one that is not is forgotten when its key comes again or its
 * room is needed. A request moves a few numbers, however full the table is.
 */
export class BucketTable {
  readonly #windowMs: number;
  #now = 0;

  readonly #cells = new Cells(MAX_CELLS);
  /** COUNTED: the requests that count; FIRST: the slot of the first of them; NEXT: the slot for the next. */
  readonly #rows = new Rows(MAX_KEYS);
  readonly #numbers = this.#rows.numbers;
  readonly #rowOf = new Map<string, number>();
  readonly #keys = new Array<string>(MAX_KEYS);

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Sets the time for all that follows. */
  advanceTo(now: number): void {
    this.#now = now;
  }

  /** The row of a busy bucket, rid of the requests that have left; none for a newcomer. */
  find(key: string): number | undefined {
    const row = this.#rowOf.get(key);
    if (row === undefined) return undefined;
    if (this.#msLeft(this.#rows.latestUse(row)) <= 0) {
      this.#forget(row);
      return undefined;
    }
    while (this.msToLeave(row) <= 0) {
      this.#numbers[row + FIRST] = this.#cells.after(this.#numbers[row + FIRST]!);
      this.#numbers[row + COUNTED]!--;
    }
    return row;
  }

  /** Whether all of these fit in, once idle buckets are forgotten. Throws a RangeError for what never could. */
  makeRoomFor(newcomers: readonly BucketKey[]): boolean {
    let cells = 0;
    for (const { key, limit } of newcomers) {
      if (!KEY.test(key)) throw new RangeError(`Not 1 to 40 ASCII characters: ${key}`);
      cells += cellsFor(limit);
    }
    if (cells > MAX_CELLS) throw new RangeError(`Lower the limits: together above ${MAX_CELLS * CELL}`);
    const isRoom = () => cells <= this.#cells.freeCount && this.#rowOf.size + newcomers.length <= MAX_KEYS;
    while (!isRoom() && this.msToIdle() <= 0) this.#forget(this.#rows.oldest);
    return isRoom();
  }

  /** Gives a newcomer an empty bucket, for a request to be counted in at once. */
  admit({ key, limit }: BucketKey): number {
    const row = this.#rows.take(this.#now);
    const copy = copyOf(key);
    this.#keys[this.#rows.indexOf(row)] = copy;
    this.#rowOf.set(copy, row);
    this.#numbers[row + LIMIT] = limit;
    this.#numbers[row + COUNTED] = 0;
    this.#numbers[row + FIRST] = this.#numbers[row + NEXT] = this.#cells.takeRing(cellsFor(limit));
    return row;
  }

  /** Counts a request that comes now. */
  count(row: number): void {
    const slot = this.#numbers[row + NEXT]!;
    this.#cells.arrivals[slot] = this.#now;
    this.#numbers[row + NEXT] = this.#cells.after(slot);
    this.#numbers[row + COUNTED]!++;
    this.#rows.use(row, this.#now);
  }

  remaining(row: number): number {
    return this.#numbers[row + LIMIT]! - this.#numbers[row + COUNTED]!;
  }

  /** Until the oldest request of a bucket leaves. */
  msToLeave(row: number): number {
    return this.#msLeft(this.#cells.arrivals[this.#numbers[row + FIRST]!]!);
  }

  /** Until the first of all buckets is idle. */
  msToIdle(): number {
    return this.#msLeft(this.#rows.oldestUse);
  }

  #msLeft(arrival: number): number {
    return this.#windowMs - (this.#now - arrival);
  }

  #forget(row: number): void {
    this.#rowOf.delete(this.#keys[this.#rows.indexOf(row)]!);
    this.#cells.giveBackRing(this.#numbers[row + FIRST]!, cellsFor(this.#numbers[row + LIMIT]!));
    this.#rows.giveBack(row);
  }
}

/** The bare characters: a string made of others, or cut out of one, keeps those in memory. */
function copyOf(key: string): string {
  return Buffer.from(key, 'latin1').toString('latin1');
}
