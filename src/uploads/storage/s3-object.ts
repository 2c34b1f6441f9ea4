import type { Bucket, Parts } from './s3-bucket.ts';

/** The least that a part may have; what is smaller goes in one request. One fills while another is on its way. */
export const PART_BYTES = 5 * 1024 * 1024;

/** An object in the making. Nobody sees anything of it before `finish`. */
export class S3Object {
  readonly #bucket: Bucket;
  readonly #largeKey: string;
  #chunks: Buffer[] = [];
  #gathered = 0;
  #parts: Parts | undefined;
  #sent = 0;
  #sending: Promise<void> | undefined;

  /** `largeKey`: where it goes when it is too large to be kept in memory until its end. */
  constructor(bucket: Bucket, largeKey: string) {
    this.#bucket = bucket;
    this.#largeKey = largeKey;
  }

  async append(chunk: Buffer): Promise<void> {
    this.#chunks.push(chunk);
    this.#gathered += chunk.length;
    while (this.#gathered >= PART_BYTES) await this.#sendPart();
  }

  /** Makes it visible, a small one under `smallKey`. Resolves with its key. */
  async finish(smallKey: string): Promise<string> {
    if (!this.#parts) {
      await this.#bucket.put(smallKey, Buffer.concat(this.#chunks));
      return smallKey;
    }
    await this.#sending;
    if (this.#gathered > 0) await this.#parts.send(this.#sent + 1, Buffer.concat(this.#chunks));
    await this.#parts.complete();
    return this.#largeKey;
  }

  /** Leaves nothing of what was not finished. */
  async discard(): Promise<void> {
    this.#chunks = [];
    await this.#sending?.catch(() => {});
    await this.#parts?.abort();
  }

  async #sendPart(): Promise<void> {
    await this.#sending;
    this.#parts ??= await this.#bucket.begin(this.#largeKey);
    const gathered = Buffer.concat(this.#chunks);
    const rest = gathered.subarray(PART_BYTES);
    this.#chunks = [rest];
    this.#gathered = rest.length;
    this.#sent += 1;
    this.#sending = this.#parts.send(this.#sent, gathered.subarray(0, PART_BYTES));
    // Whoever waits for it next throws; until then nobody listens.
    this.#sending.catch(() => {});
  }
}
