import type { UploadId } from '../../../domain/upload-id.ts';
import { folderOf, inFolder, type Objects } from '../objects.ts';
import type { UploadBytes } from '../resumable-in-objects.ts';
import { readAcknowledged } from './acknowledged-chain.ts';
import { openPieceWriter } from './piece-writer.ts';
import { endOf, longestChain, type Piece, parsePiece } from './pieces.ts';
import { readPieces } from './read-pieces.ts';
import type { BytesInS3 } from './staged-object.ts';

/*
 * In the folder of an upload:
 *
 * <piece>  bytes
 * chain    names of the last pieces that were acknowledged, because a listing may lack new objects for a while (Swift);
 *          there from the first byte on
 * writer   the name of the writer's work, by which others see whether its process lives; no lock, since two may write it
 */

const WRITER = 'writer';

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
        return openPieceWriter({ folder: folderOf(key), found: await findChain(key), bytes, end });
      } catch (error) {
        await end();
        throw error;
      }
    },

    async *read(key, start, end) {
      yield* readPieces(bytes.bucket, folderOf(key), await findChain(key), start, end);
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
