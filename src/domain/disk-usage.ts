import type { UploadDescription } from './upload.ts';

/** The block size of nearly every file system. */
const BLOCK_BYTES = 4096;
const NAME_BYTES = 64;

/** How many bytes a file of this length occupies on a disk: whole blocks, and a name in a folder. */
export function bytesOnDisk(length: number): number {
  return Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES + NAME_BYTES;
}

/** How many bytes a file counts in a quota: it is stored with its description and the length of that. */
export function occupiedBytes(description: UploadDescription): number {
  return bytesOnDisk(description.size + Buffer.byteLength(JSON.stringify(description)) + 4);
}

/**
 * The size of a resumable upload: the bytes that arrived, and its folder, which stores the declared values and later the
 * id of the file.
 */
export function resumableBytes(arrived: number): number {
  return 3 * bytesOnDisk(1) + bytesOnDisk(arrived);
}
