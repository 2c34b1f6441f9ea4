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

/** Keeps the texts that are ids. */
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
