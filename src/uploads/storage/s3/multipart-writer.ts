import { AppError } from '../../../domain/errors.ts';
import { Batches } from '../batches.ts';
import type { Bucket } from './bucket.ts';
import type { Part, Unfinished } from './multipart.ts';
import type { Staging } from './staging.ts';

/** What gathers in memory before a part does. */
const SMALL_BYTES = 64 * 1024;
/** The least that Amazon takes: an upload has two of these in memory at most, and several go on at once. */
const PART_BYTES = 5 * 1024 * 1024;
/** As S3 has it everywhere. */
const MAX_PARTS = 10_000;

export interface MultipartWriterOptions {
  bucket: Bucket;
  staging: Staging;
  prefix: string;
  /** Without the prefix. */
  key: string;
}

/** An object that is sent in parts while it comes; as one, and not before it is whole, if it is smaller than a part. */
export class MultipartWriter {
  readonly #options: MultipartWriterOptions;
  readonly #batches: Batches;
  readonly #given = new AbortController();
  readonly #parts: Part[] = [];
  #upload: Unfinished | undefined;
  #rest: Buffer = Buffer.alloc(0);

  constructor(options: MultipartWriterOptions) {
    this.#options = options;
    this.#batches = new Batches({
      smallBytes: SMALL_BYTES,
      batchBytes: PART_BYTES,
      isEven: true,
      write: (piece) => this.#sendPart(piece),
    });
  }

  append(chunk: Buffer): Promise<void> {
    return this.#batches.append(chunk);
  }

  /** All that may be sent while nobody is to see it. */
  async flush(): Promise<void> {
    this.#rest = await this.#batches.finish();
    if (this.#upload && this.#rest.length > 0) await this.#sendPart(this.#rest);
  }

  /** Makes the object, after `flush`. */
  async finish(): Promise<void> {
    const { bucket, staging, prefix, key } = this.#options;
    if (!this.#upload) return bucket.put(`${prefix}${key}`, this.#rest);
    await bucket.parts.complete(this.#upload, this.#parts);
    staging.forget(this.#upload);
  }

  /** Leaves no part; the object, if it is made, is not removed. */
  async discard(): Promise<void> {
    this.#given.abort();
    // A part that comes after the end of its upload may stay.
    await this.#batches.settle();
    if (this.#upload) await this.#options.staging.abort(this.#upload);
  }

  async #sendPart(bytes: Buffer): Promise<void> {
    const { bucket, staging, key } = this.#options;
    this.#given.signal.throwIfAborted();
    const number = this.#parts.length + 1;
    if (number > MAX_PARTS) throw new AppError('too-large', `S3 takes ${MAX_PARTS} parts of 5 MB at most.`);
    this.#upload ??= await staging.begin(key);
    this.#parts.push(await bucket.parts.putPart(this.#upload, number, bytes, this.#given.signal));
  }
}
