import { AppError } from '../../../../domain/errors.ts';
import type { UploadDescription, UploadId } from '../../../../domain/upload.ts';
import { type LockedUpload, type ResumableState, uploadLocked } from '../../../resumable-storage.ts';
import type { StagedUpload, StageOptions } from '../../../storage.ts';
import { WriteBuffer } from '../../write-buffer.ts';
import type { Bucket } from '../bucket.ts';
import { PART_BYTES } from '../multipart.ts';
import { readRange } from '../read.ts';
import type { Retries } from '../retries.ts';
import type { Staging } from '../staging.ts';
import { longestChain, nameOf, type Piece, START, smallPieces } from './pieces.ts';
import {
  readAcknowledged,
  readPublishedAs,
  type StoredUpload,
  writeAcknowledged,
  writePublishedAs,
} from './stored-upload.ts';

/** How much is kept in memory before the buffer of a whole piece is allocated. */
const SMALL_BYTES = 64 * 1024;
/** So many pieces that are smaller than one together are joined, so that an upload has four for each MB at most. */
const MAX_SMALL_PIECES = 16;

export interface PieceWriterOptions {
  bucket: Bucket;
  staging: Staging;
  retries: Retries;
  /** Stages bytes as those of any upload. */
  stage: (bytes: AsyncIterable<Buffer>, options: StageOptions) => Promise<StagedUpload>;
  /** Whether there is a file of this id. */
  isPublished: (id: UploadId) => Promise<boolean>;
  /** Removes all of an upload. */
  remove: (base: string) => Promise<void>;
}

/**
 * A resumable upload in S3 that this process writes to. S3 has no locks: what another process writes meanwhile makes another
 * chain.
 */
export class PieceWriter implements LockedUpload {
  readonly state: ResumableState;
  readonly #options: PieceWriterOptions;
  readonly #base: string;
  readonly #buffer = new WriteBuffer({
    smallBytes: SMALL_BYTES,
    batchBytes: PART_BYTES,
    isEven: true,
    write: (bytes) => this.#putEarly(bytes),
  });
  #chain: Piece[];
  #added: Piece[] = [];
  /** Pieces whose bytes are written again in a larger one. */
  #joined: Piece[] = [];
  #isUnverified = false;
  /** The piece that will link those after it to the chain; it is written once they are verified. */
  #link: Piece | undefined;
  #beginning: Promise<void> | undefined;
  #hasBegun = false;
  #release: (() => void) | undefined;

  constructor(base: string, { state, chain }: StoredUpload, options: PieceWriterOptions) {
    this.#base = base;
    this.state = state;
    this.#chain = chain;
    this.#options = options;
  }

  async startUnverified(): Promise<void> {
    this.#isUnverified = true;
  }

  append(chunk: Buffer): Promise<void> | undefined {
    if (!this.#hasBegun) return this.#begin().then(() => this.append(chunk));
    return this.#buffer.append(chunk);
  }

  async commit(): Promise<number> {
    await this.#beginning;
    const rest = await this.#buffer.finish();
    if (rest.length > 0) await this.#put(rest);
    if (this.#link) await this.#options.bucket.put(this.#keyOf(this.#link), Buffer.alloc(0));
    this.#link = undefined;
    if (this.#added.length > 0) await this.#acknowledge();
    return this.#end;
  }

  async rollback(): Promise<void> {
    await this.#buffer.settle();
    const keys = this.#added.map((piece) => this.#keyOf(piece));
    this.#added = [];
    await this.#options.retries.attempt(() => this.#options.bucket.remove(keys));
  }

  async stage(watch?: StageOptions['watch']): Promise<StagedUpload> {
    const { stage, bucket, isPublished, retries } = this.#options;
    const { publishedAs, announced } = this.state;
    if (this.#end < announced.length || (publishedAs !== undefined && this.#chain.length === 0))
      throw fileGone();
    const staged = await stage(this.#read(), { watch });
    const publish = async (id: UploadId, description: UploadDescription) => {
      const other = await readPublishedAs(bucket, this.#base);
      if (other !== undefined && other !== publishedAs && (await isPublished(other))) throw uploadLocked();
      // After a crash, a file of that id proves that the upload was published.
      await writePublishedAs(bucket, this.#base, id);
      await staged.publish(id, description);
      const keys = this.#chain.map((piece) => this.#keyOf(piece));
      await retries.attempt(() => bucket.remove([...keys, `${this.#base}/chain`]));
    };
    return {
      ...staged,
      publish: (id, description) =>
        publish(id, description).catch(async (error: unknown) => {
          await staged.discard();
          throw error;
        }),
    };
  }

  async remove(): Promise<void> {
    await this.#buffer.settle();
    await this.#options.remove(this.#base);
  }

  async release(): Promise<void> {
    await this.#buffer.settle();
    this.#release?.();
  }

  get #end(): number {
    return this.#chain.at(-1)?.end ?? 0;
  }

  #keyOf({ name }: Piece): string {
    return `${this.#base}/${name}`;
  }

  /** Runs once, however many calls wait for it. */
  #begin(): Promise<void> {
    this.#beginning ??= this.#prepare().then(() => {
      this.#hasBegun = true;
    });
    return this.#beginning;
  }

  /** Shows that bytes are arriving, so that a sweep does not forget the upload, and reads the pieces that are to be joined. */
  async #prepare(): Promise<void> {
    const { bucket } = this.#options;
    if (this.#chain.length === 0) return writeAcknowledged(bucket, this.#base, []);
    const joined = smallPieces(this.#chain, PART_BYTES, MAX_SMALL_PIECES);
    const bytes = await Promise.all(joined.map((piece) => bucket.get(this.#keyOf(piece))));
    for (const [index, { start, end }] of joined.entries())
      if (bytes[index]?.length !== end - start) throw progressChanged();
    for (const part of bytes) this.#buffer.append(part ?? Buffer.alloc(0));
    this.#joined = joined;
    this.#chain = this.#chain.slice(0, this.#chain.length - joined.length);
  }

  /** Writes a piece before the request has ended. The heartbeat tells sweeps that it is not left over. */
  async #putEarly(bytes: Buffer): Promise<void> {
    this.#release ??= await this.#options.staging.hold();
    if (this.#isUnverified) this.#link ??= this.#follow(0);
    await this.#put(bytes);
  }

  async #put(bytes: Buffer): Promise<void> {
    const piece = this.#follow(bytes.length);
    await this.#options.bucket.put(this.#keyOf(piece), bytes);
  }

  /** Adds a piece of so many bytes to the chain. */
  #follow(bytes: number): Piece {
    const start = this.#end;
    const previous = this.#chain.at(-1)?.own ?? START;
    const place = { start, end: start + bytes, own: this.#options.staging.nextName(), previous };
    const piece = { ...place, name: nameOf(place) };
    this.#chain.push(piece);
    this.#added.push(piece);
    return piece;
  }

  /** Makes what was added count for every process. Throws AppError `locked` when another one is further by now. */
  async #acknowledge(): Promise<void> {
    const { bucket, retries } = this.#options;
    const [announced, acknowledged] = await Promise.all([
      bucket.get(this.#base),
      readAcknowledged(bucket, this.#base),
    ]);
    if (!announced) {
      await this.rollback();
      throw new AppError('not-found', 'this upload has been removed');
    }
    const longest = longestChain([...acknowledged, ...this.#chain.map(({ name }) => name)]);
    if ((longest.at(-1)?.end ?? 0) > this.#end) throw progressChanged();
    await writeAcknowledged(bucket, this.#base, this.#chain);
    this.#added = [];
    await retries.attempt(() => bucket.remove(this.#joined.map((piece) => this.#keyOf(piece))));
  }

  async *#read(): AsyncGenerator<Buffer, void> {
    for (const piece of this.#chain) {
      const range = { start: 0, end: piece.end - piece.start - 1 };
      const bytes = await readRange(this.#options.bucket, this.#keyOf(piece), range).catch((error) => {
        if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
        // Another process has joined the pieces, or the file was published and has been removed.
        throw this.state.publishedAs === undefined ? progressChanged() : fileGone();
      });
      if (Buffer.isBuffer(bytes)) yield bytes;
      else yield* bytes;
    }
  }
}

function fileGone(): AppError {
  return new AppError('not-found', 'the file of this upload is gone');
}

function progressChanged(): AppError {
  return new AppError('locked', 'the progress of this upload has changed; ask for its offset again');
}
