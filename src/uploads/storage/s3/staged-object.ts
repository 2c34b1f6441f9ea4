import { WriteBuffer } from '../write-buffer.ts';
import type { Bucket } from './bucket.ts';
import { beyondParts, MAX_PARTS, type MultipartUpload, PART_BYTES, type Part } from './multipart.ts';
import type { Staging } from './staging.ts';

/** How much is kept in memory before the buffer of a whole part is allocated. */
const SMALL_BYTES = 64 * 1024;

interface StagedObjectOptions {
  bucket: Bucket;
  staging: Staging;
  key: string;
}

/**
 * The object of a staged upload: sent in parts as they fill, or at once on completion if it is smaller than a part. Two
 * parts are in memory at most.
 */
export class StagedObject {
  readonly #options: StagedObjectOptions;
  readonly #buffer: WriteBuffer;
  readonly #discarded = new AbortController();
  readonly #parts: Part[] = [];
  #upload: MultipartUpload | undefined;
  #sentBytes = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(options: StagedObjectOptions) {
    this.#options = options;
    this.#buffer = new WriteBuffer({
      smallBytes: SMALL_BYTES,
      batchBytes: PART_BYTES,
      isEven: true,
      write: (bytes) => this.#sendPart(bytes),
    });
  }

  append(chunk: Buffer): Promise<void> | undefined {
    return this.#buffer.append(chunk);
  }

  /** Sends what can be sent before the object exists. */
  async flush(): Promise<void> {
    this.#rest = await this.#buffer.finish();
    if (this.#upload && this.#rest.length > 0) await this.#sendPart(this.#rest);
  }

  /** Creates the object, after `flush`. */
  async complete(): Promise<void> {
    const { bucket, staging, key } = this.#options;
    if (!this.#upload) return bucket.put(key, this.#rest);
    await bucket.parts.complete(this.#upload, this.#parts, this.#sentBytes);
    staging.end(key);
  }

  /** Removes all parts. An object that has been created stays. */
  async discard(): Promise<void> {
    this.#discarded.abort();
    // S3 may keep a part that arrives after its upload was aborted.
    await this.#buffer.settle();
    if (this.#upload) await this.#options.staging.abort(this.#options.key);
  }

  async #sendPart(bytes: Buffer): Promise<void> {
    const { bucket, staging, key } = this.#options;
    this.#discarded.signal.throwIfAborted();
    const number = this.#parts.length + 1;
    if (number > MAX_PARTS) throw beyondParts();
    this.#upload ??= await staging.begin(key);
    this.#parts.push(await bucket.parts.putPart(this.#upload, number, bytes, this.#discarded.signal));
    this.#sentBytes += bytes.length;
  }
}
