import { AppError } from '../../../domain/errors.ts';
import type { UploadId } from '../../../domain/upload.ts';
import { uploadLocked } from '../../resumable-storage.ts';
import type { StagedUpload, StageOptions } from '../../storage.ts';
import { createBatches } from '../batches.ts';
import { folderOf, inFolder, type Objects } from '../objects.ts';
import type { BytesWriter, UploadBytes } from '../resumable.ts';
import { type Bucket, PART_BYTES } from './bucket.ts';
import { longestChain, nameOf, type Piece, parsePiece, START } from './pieces.ts';
import { readRange } from './read.ts';
import type { Staging } from './staging.ts';

/*
 * In the folder of an upload:
 *
 * <piece>  bytes
 * chain    names of the last pieces that were acknowledged, because a listing may lack new objects for a while (Swift);
 *          there from the first byte on
 */

/** How many names are kept in `chain`: all that a listing may lack. */
const MAX_LISTED_LATE = 100;
/** So many pieces that are smaller than one together are joined, so that an upload has four for each MB at most. */
const MAX_SMALL_PIECES = 16;

interface PiecesOptions {
  bucket: Bucket;
  staging: Staging;
  /** Stages bytes as those of any upload. */
  stage: (bytes: AsyncIterable<Buffer>, options: StageOptions) => Promise<StagedUpload>;
}

/**
 * Keeps the bytes of resumable uploads in pieces. S3 has no locks: what another process writes meanwhile makes another chain,
 * and the longest one counts.
 */
export function openPieces(options: PiecesOptions): UploadBytes {
  const { bucket, staging } = options;
  const uploadAt = (key: UploadId): Objects => inFolder(bucket, folderOf(key));

  async function findChain(key: UploadId): Promise<Piece[]> {
    const listed = Array.fromAsync(uploadAt(key).list(''));
    const [names, acknowledged] = await Promise.all([listed, readAcknowledged(uploadAt(key))]);
    return longestChain([...names, ...acknowledged]);
  }

  return {
    offsetOf: async (key) => endOf(await findChain(key)),
    open: async (key) => openWriter(key, await findChain(key), options),
    hasBegun: async (key) => (await uploadAt(key).get('chain')) !== undefined,

    async sweep(key, names, isPublished) {
      const upload = uploadAt(key);
      const pieces = names.filter((name) => parsePiece(name));
      if (isPublished) return pieces.length > 0 ? upload.remove([...pieces, 'chain']) : undefined;
      // Listed pieces that make no chain may do so with what was acknowledged.
      const isChain = longestChain(pieces).length === pieces.length;
      const chain = longestChain([...pieces, ...(isChain ? [] : await readAcknowledged(upload))]);
      const counting = new Set(chain.map(({ name }) => name));
      for (const name of pieces) {
        const [process = ''] = parsePiece(name)?.own.split('.') ?? [];
        if (!counting.has(name) && !(await staging.isAlive(process))) await upload.remove([name]);
      }
    },
  };
}

function openWriter(key: UploadId, found: Piece[], options: PiecesOptions): BytesWriter {
  const { bucket, staging, stage } = options;
  const folder = folderOf(key);
  const upload = inFolder(bucket, folder);
  let chain = [...found];
  let added: Piece[] = [];
  /** Pieces whose bytes are written again in a larger one. */
  let joined: Piece[] = [];
  let isUnverified = false;
  /** The piece that will link those after it to the chain; it is written once they are verified. */
  let link: Piece | undefined;
  let held: string | undefined;
  let hasBegun = false;
  const batches = createBatches(PART_BYTES, putEarly);

  /** Shows that bytes are arriving, so that a sweep does not forget the upload, and reads the pieces that are to be joined. */
  async function begin(): Promise<void> {
    if (chain.length === 0) await writeAcknowledged([]);
    const last = chain.filter(({ start }) => endOf(chain) - start < PART_BYTES);
    if (last.length >= MAX_SMALL_PIECES) joined = last;
    const contents = await Promise.all(joined.map(({ name }) => upload.get(name)));
    if (contents.includes(undefined)) throw uploadLocked();
    chain = chain.slice(0, chain.length - joined.length);
    hasBegun = true;
    for (const bytes of contents) if (bytes) await batches.append(bytes);
  }

  async function writeAcknowledged(pieces: readonly Piece[]): Promise<void> {
    const names = pieces.slice(-MAX_LISTED_LATE).map(({ name }) => name);
    await upload.put('chain', Buffer.from(names.join('\n')));
  }

  /** Writes a piece before the request has ended. The heartbeat tells sweeps that it is not left over. */
  async function putEarly(bytes: Buffer): Promise<void> {
    held ??= await staging.hold();
    if (isUnverified) link ??= follow(0);
    await put(bytes);
  }

  async function put(bytes: Buffer): Promise<void> {
    await upload.put(follow(bytes.length).name, bytes);
  }

  /** Adds a piece of so many bytes to the chain. */
  function follow(bytes: number): Piece {
    const start = endOf(chain);
    const place = {
      start,
      end: start + bytes,
      own: staging.nextName(),
      previous: chain.at(-1)?.own ?? START,
    };
    const piece = { ...place, name: nameOf(place) };
    chain.push(piece);
    added.push(piece);
    return piece;
  }

  async function rollback(): Promise<void> {
    await batches.settle();
    const names = added.map(({ name }) => name);
    added = [];
    await staging.attempt(() => upload.remove(names));
  }

  /** Makes what was added count for every process. Throws AppError `locked` when another one is further by now. */
  async function acknowledge(): Promise<void> {
    const [announced, acknowledged] = await Promise.all([upload.get('announced'), readAcknowledged(upload)]);
    if (!announced) {
      await rollback();
      throw new AppError('not-found', 'this upload has been removed');
    }
    const longest = longestChain([...acknowledged, ...chain.map(({ name }) => name)]);
    if (endOf(longest) > endOf(chain)) throw uploadLocked();
    await writeAcknowledged(chain);
    added = [];
    await staging.attempt(() => upload.remove(joined.map(({ name }) => name)));
  }

  async function* read(): AsyncGenerator<Buffer, void> {
    for (const { name, start, end } of chain) {
      const bytes = await readRange(bucket, folder + name, { start: 0, end: end - start - 1 }).catch(
        (error) => {
          if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
          // Another process has joined the pieces, or published the file.
          throw uploadLocked();
        },
      );
      yield* Buffer.isBuffer(bytes) ? [bytes] : bytes;
    }
  }

  return {
    offset: endOf(found),
    async startUnverified() {
      isUnverified = true;
    },
    async append(chunk) {
      if (!hasBegun) await begin();
      await batches.append(chunk);
    },
    async commit() {
      const rest = await batches.finish();
      if (rest.length > 0) await put(rest);
      if (link) await upload.put(link.name, Buffer.alloc(0));
      link = undefined;
      if (added.length > 0) await acknowledge();
      return endOf(chain);
    },
    rollback,
    async stage(watch) {
      const staged = await stage(read(), { watch });
      return {
        ...staged,
        async publish(...file) {
          await staged.publish(...file);
          await staging.attempt(() => upload.remove([...chain.map(({ name }) => name), 'chain']));
        },
      };
    },
    async release() {
      await batches.settle();
      if (held) staging.release(held);
    },
  };
}

/** Empty before the first byte. */
async function readAcknowledged(upload: Objects): Promise<string[]> {
  return (await upload.get('chain'))?.toString().split('\n') ?? [];
}

function endOf(chain: readonly Piece[]): number {
  return chain.at(-1)?.end ?? 0;
}
