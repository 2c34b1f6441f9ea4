/** The times of the requests of one bucket within its window, and a link of a ring of such windows. */
export class Window {
  readonly key: string;
  readonly limit: number;
  count = 0;
  next: Window = this;
  previous: Window = this;
  /** A ring, too, of at most `limit` times. */
  readonly #arrivals: number[] = [];
  #first = 0;

  constructor(key: string, limit: number) {
    this.key = key;
    this.limit = limit;
  }

  isFull(): boolean {
    return this.count === this.limit;
  }

  /** Drops the requests that are as old as this at a time. */
  drop(ageMs: number, at: number): void {
    while (this.count > 0 && at - this.oldest() >= ageMs) {
      this.#first = this.#first + 1 === this.limit ? 0 : this.#first + 1;
      this.count -= 1;
    }
  }

  /** Adds a request to a window that is not full. */
  add(time: number): void {
    this.#arrivals[this.#indexOf(this.count)] = time;
    this.count += 1;
  }

  oldest(): number {
    return this.#arrivals[this.#first] ?? 0;
  }

  latest(): number {
    return this.#arrivals[this.#indexOf(this.count - 1)] ?? 0;
  }

  /** Moves this window to the place before another one. */
  linkBefore(other: Window): void {
    this.unlink();
    this.next = other;
    this.previous = other.previous;
    this.previous.next = this;
    other.previous = this;
  }

  unlink(): void {
    this.previous.next = this.next;
    this.next.previous = this.previous;
    this.next = this;
    this.previous = this;
  }

  /** The index of the request that follows `offset` others. */
  #indexOf(offset: number): number {
    const index = this.#first + offset;
    return index < this.limit ? index : index - this.limit;
  }
}
