/** What is kept beside the bytes of an upload. Times are in ms since 1970. */
export interface UploadDescription {
  /** As sent, in the contract's form; what is shown to people is cleaned further. */
  originalname: string;
  encoding: string;
  /** As sent: a claim. What the file is served as follows from `mediaType`. */
  mimetype: string;
  /** In bytes. */
  size: number;
  /** Of the bytes, in lower-case hex. */
  sha256: string;
  /** Read from the bytes, never from the client's claim. */
  mediaType: string;
  /** What the file's address ends in, without the dot. */
  extension: string;
  uploadedAt: number;
  expiresAt: number;
  /** Whose quota the file counts against. */
  owner: string;
  /** Hash of the secret in the delete address: who reads the disk cannot delete through it. */
  deleteKeyHash: string;
}

/** 128 bits in base 36. */
const RANDOM_DIGITS = 25;
/** Eight digits of expiry, nine from 2059 on, and the random ones: lower case, for file systems that ignore case. */
const ID = /^[1-9a-z][0-9a-z]{32,33}$/;

/** An id that cannot be guessed and says when it ends. `random`: 16 bytes fit for a secret. */
export function uploadId(expiresAt: number, random: Uint8Array): string {
  const secret = BigInt(`0x${Buffer.from(random).toString('hex')}`);
  return expiresAt.toString(36) + secret.toString(36).padStart(RANDOM_DIGITS, '0');
}

/**
 * When the upload of this id ends, in ms since 1970, whether or not there ever was one. Undefined for anything
 * that is not an id: only what passes here may become part of a path.
 */
export function expiryOf(id: string): number | undefined {
  return ID.test(id) ? Number.parseInt(id.slice(0, -RANDOM_DIGITS), 36) : undefined;
}

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
