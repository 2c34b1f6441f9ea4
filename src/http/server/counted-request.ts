import type { Socket } from 'node:net';
import { IncomingMessage } from '../modules.ts';

/** A chunk takes as much time to parse as this many bytes. */
const BYTES_PER_CHUNK = 256;
/** How many small chunks a request may send at once before it rests. */
const FREE_CHUNKS = 1_000;
/** How many small chunks a thread accepts each millisecond, from all its connections together: a fifth of its time. */
const CHUNKS_PER_MS = 50;
/** A chunk without extensions has a line of up to 16 digits and two line ends. */
const FRAMING_PER_CHUNK = 32;
/** How many bytes of extensions a body may have, including the segment that is being parsed. */
const MAX_EXTENSION_BYTES = 256 * 1024;

/** The small chunks of all connections of this thread are paid for one after the other; a time of `performance.now()`. */
let paidUntil = 0;

/**
 * A request that counts the chunks and bytes of its body as the parser hands them out. How a body is cut into chunks affects
 * only its speed: a chunk of one byte takes as much time as a chunk of some hundred bytes, so a connection that sends thousands
 * of them rests after each segment, while the other connections are served.
 */
export class CountedRequest extends IncomingMessage {
  /** Bytes of the body that have arrived, used or not, without the framing of chunks. */
  bodyBytes = 0;
  #chunks = 0;
  #bytesBefore: number;
  /** Small chunks whose time is not paid for yet. */
  #debt = 0;
  #isResting = false;

  constructor(socket: Socket) {
    super(socket);
    this.#bytesBefore = socket.bytesRead;
  }

  /** The parser passes each chunk of the body, cut at the ends of segments. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null) this.#count(chunk.length);
    return super.push(chunk, encoding);
  }

  /** The inherited method would resume the socket. */
  override _read(size: number): void {
    if (!this.#isResting) super._read(size);
  }

  /** Whether the client is kept waiting, because of the many small chunks that it has sent. */
  get isResting(): boolean {
    return this.#isResting;
  }

  /** Whether there are more chunk extensions than any client needs. Without extensions no body has so much framing. */
  get hasExcessiveFraming(): boolean {
    // The bytes after the body belong to the next request.
    if (this.complete) return false;
    const framing = this.socket.bytesRead - this.#bytesBefore - this.bodyBytes;
    return framing > MAX_EXTENSION_BYTES + this.#chunks * FRAMING_PER_CHUNK;
  }

  #count(bytes: number): void {
    this.bodyBytes += bytes;
    this.#chunks += 1;
    this.#debt = Math.max(0, this.#debt + 1 - bytes / BYTES_PER_CHUNK);
    if (this.#debt >= FREE_CHUNKS && !this.#isResting) this.#rest();
  }

  #rest(): void {
    const now = performance.now();
    paidUntil = Math.max(now, paidUntil) + this.#debt / CHUNKS_PER_MS;
    this.#debt = 0;
    this.#isResting = true;
    // The rest of the segment is still parsed.
    this.socket.pause();
    setTimeout(() => {
      this.#isResting = false;
      this.socket.resume();
    }, paidUntil - now);
  }
}
