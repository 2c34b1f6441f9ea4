import type { UploadDescription } from '../domain/upload.ts';

const BLOCK_BYTES = 4096;
/** Bytes of a file for each byte beside them that its quota lets pass. */
const FREE_SHARE = 16;

/**
 * What a file counts in a quota: its bytes and its description, in whole blocks of a disk. Where that is at most a
 * sixteenth more than its bytes, these alone: a share of 1 GB holds ten files of 100 MB. The description alone decides,
 * so a file counts the same when it is received, counted after a restart and removed.
 */
export function occupiedBytes(description: UploadDescription): number {
  const { size } = description;
  const bytes = size + Buffer.byteLength(JSON.stringify(description));
  const blocks = Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
  return blocks - size > size / FREE_SHARE ? blocks : size;
}
