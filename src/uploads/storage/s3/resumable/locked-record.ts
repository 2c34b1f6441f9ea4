import { randomBytes } from 'node:crypto';
import { AppError } from '../../../../domain/errors.ts';
import type { UploadDescription } from '../../../../domain/upload.ts';
import type { LockedUpload, ResumableState } from '../../../resumable-storage.ts';
import type { StagedUpload, StageOptions } from '../../../storage.ts';
import { stageUpload } from '../../staged-upload.ts';
import type { Bucket } from '../bucket.ts';
import { isMissing } from '../errors.ts';
import { type MultipartUpload, PART_BYTES } from '../multipart.ts';
import { readRange } from '../read.ts';
import { PartBuffer } from './part-buffer.ts';
import {
  abortUnlessNamed,
  type ResumableRecord,
  removeRecord,
  type StoredRecord,
  stateOf,
} from './records.ts';

export interface LockedRecordOptions {
  bucket: Bucket;
  /** Of the record. */
  key: string;
  stored: StoredRecord;
  /** Makes bytes visible under an id. */
  publish: (id: string, bytes: string, description: UploadDescription) => Promise<void>;
  /** Ms since 1970. */
  clock: () => number;
}

/** A resumable upload in S3 that this process writes to: whole parts as they fill, and the rest when a request ends. */
export class LockedRecord implements LockedUpload {
  readonly state: ResumableState;
  readonly #options: LockedRecordOptions;
  readonly #abort = new AbortController();
  readonly #buffer = new PartBuffer();
  readonly #writer = randomBytes(8).toString('hex');
  #record: ResumableRecord;
  #version: string;
  #isUnverified = false;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  #sending: Promise<void> | undefined;

  constructor(options: LockedRecordOptions) {
    this.#options = options;
    this.#record = options.stored.record;
    this.#version = options.stored.version;
    this.state = stateOf(this.#record);
  }

  async startUnverified(): Promise<void> {
    this.#isUnverified = true;
  }

  append(chunk: Buffer): Promise<void> | undefined {
    if (!this.#isLoaded) return this.#load().then(() => this.append(chunk));
    this.#buffer.add(chunk);
    const part = this.#buffer.takePart();
    if (!part) return undefined;
    const earlier = this.#sending;
    this.#sending = this.#sendPart(part, earlier);
    // The next call that awaits this part throws its error; until then it is not unhandled.
    this.#sending.catch(() => {});
    return earlier;
  }

  async commit(): Promise<number> {
    await this.#load();
    await this.#sending;
    this.#isUnverified = false;
    await this.#saveTail();
    return stateOf(this.#record).offset;
  }

  /** Parts that are not in the record are written again, or left out when the object is made. */
  async rollback(): Promise<void> {
    this.#abort.abort();
    await this.#sending?.catch(() => {});
    this.#buffer.clear();
  }

  async stage(watch?: StageOptions['watch']): Promise<StagedUpload> {
    const { bucket, clock } = this.#options;
    const { bytes, announced } = this.#record;
    await this.#assemble();
    const whole = await readRange(bucket, bytes, { start: 0, end: announced.length - 1 });
    const writer = {
      append: async () => {},
      publish: (id: string, description: UploadDescription) => this.#publish(id, description),
      discard: async () => {},
    };
    return stageUpload(whole, writer, clock, { watch });
  }

  async remove(): Promise<void> {
    await this.rollback();
    await removeRecord(this.#options.bucket, this.#options.key, this.#record);
  }

  async release(): Promise<void> {
    await this.#sending?.catch(() => {});
  }

  /** Reads the bytes that did not make a part in earlier requests: once, however many calls wait for them. */
  #load(): Promise<void> {
    this.#loading ??= this.#readTail().then((bytes) => {
      this.#isLoaded = true;
      if (bytes) this.#buffer.add(bytes);
    });
    return this.#loading;
  }

  async #readTail(): Promise<Buffer | undefined> {
    const { tail } = this.#record;
    if (!tail) return undefined;
    const bytes = await this.#options.bucket.get(tail.key);
    if (bytes?.length === tail.size) return bytes;
    throw await this.#forgetTail();
  }

  /**
   * The bytes are removed once the record that names them is replaced. A server without conditional writes can bring such
   * a record back, when a request arrives late: the upload then goes on from its last whole part.
   */
  async #forgetTail(): Promise<AppError> {
    if (this.#record.publishedAs !== undefined)
      return new AppError('not-found', 'the file of this upload is gone');
    const stored = await this.#options.bucket.getVersion(this.#options.key);
    if (stored?.version === this.#version) await this.#save({ ...this.#record, tail: undefined });
    return progressChanged();
  }

  async #sendPart(bytes: Buffer, earlier: Promise<void> | undefined): Promise<void> {
    await earlier;
    const { bucket } = this.#options;
    const number = this.#record.parts.length + 1;
    const upload = await this.#upload();
    const part = await bucket.parts
      .putPart(upload, number, bytes, this.#abort.signal)
      .catch((error: unknown) => {
        // Another process has removed or published this upload.
        throw isMissing(error) ? progressChanged() : error;
      });
    this.#record = { ...this.#record, parts: [...this.#record.parts, part], tail: undefined };
    if (!this.#isUnverified) await this.#save();
  }

  async #upload(): Promise<MultipartUpload> {
    const { bucket, key } = this.#options;
    const { bytes, uploadId } = this.#record;
    if (uploadId !== undefined) return { key: bytes, uploadId };
    const upload = await bucket.parts.begin(bytes);
    this.#record = { ...this.#record, uploadId: upload.uploadId };
    // Saved before any part is sent, so that a sweep finds the parts whatever happens.
    const begun = { ...this.#options.stored.record, uploadId: upload.uploadId };
    await this.#save(begun).catch(async (error: unknown) => {
      // After any other failure, the record may still come to name this upload, which is aborted with the record.
      if (error instanceof AppError && error.code === 'locked') await abortUnlessNamed(bucket, key, upload);
      throw error;
    });
    return upload;
  }

  async #saveTail(): Promise<void> {
    const { bucket, key } = this.#options;
    const before = this.#options.stored.record.tail;
    const { size } = this.#buffer;
    const offset = this.#record.parts.length * PART_BYTES + size;
    // The key is this writer's own: one that is refused must not overwrite the bytes of another.
    const tail = size > 0 ? { key: `${key}.${offset}.${this.#writer}`, size } : undefined;
    if (tail) await bucket.put(tail.key, this.#buffer.read());
    this.#record = { ...this.#record, tail };
    await this.#save();
    // What cannot be removed now is removed with the record.
    if (before) await bucket.remove([before.key]).catch(() => {});
  }

  /** Throws AppError `locked` when another process has replaced the record meanwhile. */
  async #save(record = this.#record): Promise<void> {
    const { bucket, key } = this.#options;
    const json = JSON.stringify({ ...record, writer: this.#writer });
    this.#version = await bucket.replace(key, Buffer.from(json), this.#version);
  }

  /** Makes one object of the parts. After a crash it may have been made already. */
  async #assemble(): Promise<void> {
    const { bucket } = this.#options;
    const { bytes, parts, announced } = this.#record;
    const last = await this.#readTail();
    if (parts.length === 0) return bucket.put(bytes, last ?? Buffer.alloc(0));
    try {
      const upload = await this.#upload();
      const rest = last
        ? [await bucket.parts.putPart(upload, parts.length + 1, last, this.#abort.signal)]
        : [];
      await bucket.parts.complete(upload, [...parts, ...rest], announced.length);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** Saves the id first: after a crash, a file of that id proves that the upload was published. */
  async #publish(id: string, description: UploadDescription): Promise<void> {
    const { bucket, publish } = this.#options;
    const { bytes, tail } = this.#record;
    this.#record = { ...this.#record, publishedAs: id };
    await this.#save();
    await publish(id, bytes, description);
    // The sweep removes what cannot be removed now.
    if (tail) await bucket.remove([tail.key]).catch(() => {});
  }
}

function progressChanged(): AppError {
  return new AppError('locked', 'the progress of this upload has changed; ask for its offset again');
}
