import { AppError } from '../../../domain/errors.ts';
import { once } from '../../../domain/serial.ts';
import type { UploadId } from '../../../domain/upload-id.ts';
import { uploadLocked } from '../../resumable-storage.ts';
import type { ByteRange, Chunks } from '../../storage.ts';
import { createBatches } from '../batches.ts';
import { folderOf, inFolder, type Objects } from '../objects.ts';
import type { BytesWriter, UploadBytes } from '../resumable.ts';
import { chunksOf, stageUpload } from '../staged-upload.ts';
import { type Bucket, PART_BYTES } from './bucket.ts';
import { createPiece, longestChain, type Piece, parsePiece } from './pieces.ts';
import { readRange } from './read.ts';
import { type BytesInS3, createStagedObject } from './staged-object.ts';

/*
 * In the folder of an upload:
 *
 * <piece>  bytes
 * chain    names of the last pieces that were acknowledged, because a listing may lack new objects for a while (Swift);
 *          there from the first byte on
 * writer   the name of the writer's work, by which others see whether its process lives; no lock, since two may write it
 */

const WRITER = 'writer';
/** How many names are kept in `chain`: all that a listing may lack. */
const MAX_LISTED_LATE = 100;
/** So many pieces that make less than a part are joined, so that an upload has four for each MB at most. */
const MAX_SMALL_PIECES = 16;

/**
 * Keeps the bytes of resumable uploads in pieces. S3 has no locks: what another process writes meanwhile makes another chain,
 * and the longest one counts.
 */
export function openPieces(bytes: BytesInS3): UploadBytes {
  const uploadAt = (key: UploadId): Objects => inFolder(bytes.bucket, folderOf(key));

  async function findChain(key: UploadId): Promise<Piece[]> {
    const listed = Array.fromAsync(uploadAt(key).list(''));
    return longestChain((await Promise.all([listed, readAcknowledged(uploadAt(key))])).flat());
  }

  return {
    offsetOf: async (key) => endOf(await findChain(key)),

    async open(key) {
      const own = bytes.staging.nextName();
      const upload = uploadAt(key);
      const end = async () => {
        await bytes.staging.retryLater(() => upload.remove([WRITER]));
        await bytes.staging.release(own);
      };
      try {
        await bytes.staging.hold(own);
        await upload.put(WRITER, Buffer.from(own));
        return openWriter(key, await findChain(key), bytes, end);
      } catch (error) {
        await end();
        throw error;
      }
    },

    async *read(key, start, end) {
      const pieces = await findChain(key);
      for (const piece of pieces.filter((one) => one.start < end && one.end > start)) {
        const from = Math.max(start - piece.start, 0);
        const to = Math.min(end, piece.end) - piece.start - 1;
        yield* readPiece(bytes.bucket, folderOf(key) + piece.name, { start: from, end: to });
      }
    },

    async isHeld(key, elapsedMs) {
      const writer = await uploadAt(key).get(WRITER);
      return writer !== undefined && bytes.staging.isAlive(String(writer), elapsedMs);
    },

    hasBegun: async (key) => (await uploadAt(key).get('chain')) !== undefined,

    async sweep(key, names, isPublished) {
      const upload = uploadAt(key);
      const pieces = names.filter(parsePiece);
      if (isPublished) return pieces.length > 0 ? upload.remove([...pieces, 'chain']) : undefined;
      // Listed pieces that make no chain may do so with what was acknowledged.
      const isChain = longestChain(pieces).length === pieces.length;
      const chain = longestChain([...pieces, ...(isChain ? [] : await readAcknowledged(upload))]);
      for (const name of pieces.filter((one) => !chain.some((piece) => piece.name === one)))
        if (!(await bytes.staging.isInUse(parsePiece(name)?.own ?? ''))) await upload.remove([name]);
    },
  };
}

/** `end` is called when the writer is released. */
function openWriter(key: UploadId, found: Piece[], bytes: BytesInS3, end: () => Promise<void>): BytesWriter {
  const { bucket, staging } = bytes;
  const folder = folderOf(key);
  const upload = inFolder(bucket, folder);
  // A piece ends where a part of the file will end, so that most parts are copies of pieces.
  const partStart = endOf(found) - (endOf(found) % PART_BYTES);
  const small = found.filter(({ start }) => start >= partStart);
  /** Pieces whose bytes are written again in a larger one. */
  const joined = small.length < MAX_SMALL_PIECES ? [] : small;
  const chain = found.slice(0, found.length - joined.length);
  const batches = createBatches(PART_BYTES, putEarly, PART_BYTES - (endOf(chain) % PART_BYTES));
  let added: Piece[] = [];
  let isUnverified = false;
  /** The piece that will link those after it to the chain; it is written once they are verified. */
  let link: Piece | undefined;
  let held: string[] = [];

  /** Shows that bytes are arriving, so that a sweep does not forget the upload, and reads the pieces that are to be joined. */
  const begin = once(async () => {
    if (found.length === 0) await writeAcknowledged();
    const contents = await Promise.all(joined.map(({ name }) => upload.get(name)));
    if (contents.includes(undefined)) throw uploadLocked();
    for (const content of contents) if (content) await batches.append(content);
  });

  async function writeAcknowledged(): Promise<void> {
    const names = chain.slice(-MAX_LISTED_LATE).map(({ name }) => name);
    await upload.put('chain', Buffer.from(names.join('\n')));
  }

  /** Writes a piece before the request has ended. The heartbeat tells sweeps that it is not left over. */
  async function putEarly(part: Buffer): Promise<void> {
    if (isUnverified) link ??= follow(0);
    const { name, own } = follow(part.length);
    held.push(own);
    await staging.hold(own);
    await upload.put(name, part);
  }

  /** Adds a piece of so many bytes to the chain. */
  function follow(length: number): Piece {
    const start = endOf(chain);
    const piece = createPiece(start, start + length, staging.nextName(), chain.at(-1)?.own);
    chain.push(piece);
    added.push(piece);
    return piece;
  }

  async function rollback(): Promise<void> {
    await batches.settle();
    const names = added.map(({ name }) => name);
    added = [];
    // A sweep removes what this cannot.
    await upload.remove(names).catch(() => {});
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
    await writeAcknowledged();
    added = [];
    await upload.remove(joined.map(({ name }) => name)).catch(() => {});
  }

  async function* read(): AsyncGenerator<Buffer, void> {
    for (const { name, start, end } of chain) {
      yield* readPiece(bucket, folder + name, { start: 0, end: end - start - 1 });
    }
  }

  return {
    offset: endOf(found),
    async startUnverified() {
      isUnverified = true;
    },
    async append(chunk) {
      await begin();
      await batches.append(chunk);
    },
    async commit() {
      const rest = await batches.finish();
      if (rest.length > 0) await upload.put(follow(rest.length).name, rest);
      if (link) await upload.put(link.name, Buffer.alloc(0));
      link = undefined;
      if (added.length > 0) await acknowledge();
      return endOf(chain);
    },
    rollback,
    async stage() {
      const findCopy = (start: number, end: number) =>
        chain.filter((one) => one.start === start && one.end === end).map(({ name }) => folder + name)[0];
      const staged = await stageUpload(read(), createStagedObject(bytes, findCopy));
      return {
        ...staged,
        async publish(...file) {
          await staged.publish(...file);
          await upload.remove([...chain.map(({ name }) => name), 'chain']).catch(() => {});
        },
      };
    },
    async release() {
      await batches.settle();
      for (const own of held) await staging.release(own);
      held = [];
      await end();
    },
  };
}

/** Throws AppError `locked` when another process has joined the pieces meanwhile, or published the file. */
function readPiece(bucket: Bucket, key: string, range: ByteRange): Chunks {
  const reading = readRange(bucket, key, range);
  return chunksOf(
    reading.catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
      throw uploadLocked();
    }),
  );
}

/** Empty before the first byte. */
async function readAcknowledged(upload: Objects): Promise<string[]> {
  return (await upload.get('chain'))?.toString().split('\n') ?? [];
}

function endOf(chain: readonly Piece[]): number {
  return chain.at(-1)?.end ?? 0;
}
