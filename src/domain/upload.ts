/** The metadata stored with the bytes of an upload. Times are in ms since 1970. */
export interface UploadDescription {
  /** As the client sent it, after the decoding that the API documents; pages and headers clean it further. */
  originalname: string;
  encoding: string;
  /** As the client sent it, and not trusted. */
  mimetype: string;
  /** In bytes. */
  size: number;
  /** Lower-case hex. */
  sha256: string;
  /** What the file is, detected from the bytes; it decides as what the file is served. */
  mediaType: string;
  /** The extension in the file's address, without the dot. */
  extension: string;
  uploadedAt: number;
  expiresAt: number;
  /** The key of the quota that the file counts against. */
  owner: string;
  /** The client address that sent the file, for the operator alone. Absent in files of an older version. */
  address?: string;
  /** A hash of the secret in the delete address, so that reading the storage does not allow deletion. */
  deleteKeyHash: string;
}

/** The slowest client that is served, on average. */
export const MIN_BYTES_PER_SECOND = 8 * 1024;

/** 128 bits in base 36. */
const RANDOM_DIGITS = 25;
/** Eight digits of expiry, nine from 2059 on, then the random digits; lower case for file systems that ignore case. */
const ID = /^[1-9a-z][0-9a-z]{32,33}$/;

declare const isValid: unique symbol;

/** An unguessable id that carries an expiry: of a file, or of an upload that may be continued. Only it becomes part of a path. */
export type UploadId = string & { readonly [isValid]: true };

/** Creates an id with this expiry (ms since 1970). `random`: 16 bytes from a secure generator. */
export function createUploadId(expiresAt: number, random: Uint8Array): UploadId {
  const secret = BigInt(`0x${Buffer.from(random).toString('hex')}`);
  const text = expiresAt.toString(36) + secret.toString(36).padStart(RANDOM_DIGITS, '0');
  const id = parseUploadId(text);
  if (id === undefined) throw new RangeError(`An id cannot have this expiry: ${expiresAt}`);
  return id;
}

/** Undefined for anything that is not an id, whether or not there is such an upload. */
export function parseUploadId(text: string): UploadId | undefined {
  // The only place where a text becomes an id.
  return ID.test(text) ? (text as UploadId) : undefined;
}

/** Returns those of the texts that are ids. */
export function parseUploadIds(texts: readonly string[]): UploadId[] {
  return texts.map(parseUploadId).filter((id) => id !== undefined);
}

/** The expiry that an id carries, in ms since 1970, whether or not the upload exists. */
export function expiryOf(id: UploadId): number {
  return Number.parseInt(id.slice(0, -RANDOM_DIGITS), 36);
}

/** Whether the expiry that an id carries is past, in ms since 1970. */
export function isExpired(id: UploadId, now: number): boolean {
  return expiryOf(id) <= now;
}

/** The block size of nearly every file system, and what a name of an id takes in a folder. */
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
 * How many bytes an upload counts that may be continued: the bytes that have arrived, and its folder, which has what was
 * announced and later the id of the file.
 */
export function resumableBytes(arrived: number): number {
  return 3 * bytesOnDisk(1) + bytesOnDisk(arrived);
}
