import { PART_BYTES } from '../multipart.ts';

/**
 * Gathers bytes until they make a part. Nothing in it waits, unlike in a `WriteBuffer`: the last bytes of a connection that
 * breaks can be added while a part is sent.
 */
export class PartBuffer {
  #chunks: Buffer[] = [];
  #bytes = 0;

  get size(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Removes and returns a whole part; undefined while there are too few bytes. */
  takePart(): Buffer | undefined {
    if (this.#bytes < PART_BYTES) return undefined;
    const all = this.read();
    this.clear();
    if (all.length > PART_BYTES) this.add(Buffer.from(all.subarray(PART_BYTES)));
    return all.subarray(0, PART_BYTES);
  }

  /** Returns all bytes, which stay. */
  read(): Buffer {
    return Buffer.concat(this.#chunks, this.#bytes);
  }

  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }
}
