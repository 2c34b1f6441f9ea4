import { AppError } from '../../../domain/errors.ts';
import { once } from '../../../domain/serial.ts';
import { uploadLocked } from '../../resumable/resumable-storage.ts';
import type { StagedUpload } from '../../storage.ts';
import { createBatches } from '../batches.ts';
import { inFolder } from '../objects.ts';
import type { BytesWriter } from '../resumable-in-objects.ts';
import { stageUpload } from '../staged-upload.ts';
import { readAcknowledged, writeAcknowledged } from './acknowledged-chain.ts';
import { PART_BYTES } from './bucket.ts';
import { createPiece, endOf, longestChain, type Piece } from './pieces.ts';
import { readPieces } from './read-pieces.ts';
import { type BytesInS3, createStagedObject } from './staged-object.ts';

/** So many pieces that make less than a part are joined, so that an upload has four for each MB at most. */
const MAX_SMALL_PIECES = 16;

interface PieceWriterOptions {
  /** The folder of the upload, with its slash. */
  folder: string;
  /** The chain at the time of the lock. */
  found: readonly Piece[];
  bytes: BytesInS3;
  /** Called when the writer is released. */
  end: () => Promise<void>;
}

/** Adds pieces to the chain of an upload, which other processes believe once it is acknowledged. */
export function openPieceWriter({ folder, found, bytes, end }: PieceWriterOptions): BytesWriter {
  const { bucket, staging } = bytes;
  const upload = inFolder(bucket, folder);
  const joined = piecesToJoin(found);
  const chain = found.slice(0, found.length - joined.length);
  // A piece ends where a part of the file will end, so that most parts are copies of pieces.
  const batches = createBatches(PART_BYTES, putEarly, PART_BYTES - (endOf(chain) % PART_BYTES));
  let added: Piece[] = [];
  let isUnverified = false;
  /** The piece that will link those after it to the chain; it is written once they are verified. */
  let link: Piece | undefined;
  let held: string[] = [];

  /** Shows that bytes are arriving, so that a sweep does not forget the upload, and reads the pieces that are to be joined. */
  const begin = once(async () => {
    if (found.length === 0) await writeAcknowledged(upload, chain);
    const contents = await Promise.all(joined.map(({ name }) => upload.get(name)));
    if (contents.includes(undefined)) throw uploadLocked();
    for (const content of contents) {
      if (content) await batches.append(content);
    }
  });

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
    await writeAcknowledged(upload, chain);
    added = [];
    await upload.remove(joined.map(({ name }) => name)).catch(() => {});
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

    stage: () => stageChain(folder, chain, bytes),

    async release() {
      await batches.settle();
      for (const own of held) await staging.release(own);
      held = [];
      await end();
    },
  };
}

/** The pieces of a chain whose bytes are written again in a larger one: the last ones, when they are many and small. */
function piecesToJoin(chain: readonly Piece[]): Piece[] {
  const partStart = endOf(chain) - (endOf(chain) % PART_BYTES);
  const small = chain.filter(({ start }) => start >= partStart);
  return small.length < MAX_SMALL_PIECES ? [] : small;
}

/** Stages the file that a chain makes. S3 itself copies those pieces that are a part of it; publication removes all of them. */
async function stageChain(folder: string, chain: readonly Piece[], bytes: BytesInS3): Promise<StagedUpload> {
  const findCopy = (start: number, end: number) => {
    const piece = chain.find((one) => one.start === start && one.end === end);
    return piece && folder + piece.name;
  };
  const staged = await stageUpload(
    readPieces(bytes.bucket, folder, chain),
    createStagedObject(bytes, findCopy),
  );
  return {
    ...staged,
    async publish(...file) {
      await staged.publish(...file);
      const names = chain.map(({ name }) => name);
      await inFolder(bytes.bucket, folder)
        .remove([...names, 'chain'])
        .catch(() => {});
    },
  };
}
