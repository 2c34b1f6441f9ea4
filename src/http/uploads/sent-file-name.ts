/** A name in which all but letters, digits and `_.-~` is encoded. multer has already decoded its quotes and line ends. */
const ENCODED = /^(?:[A-Za-z0-9_.~"\r\n-]|%[0-9A-F]{2})+$/u;

/** Decodes a `filename` from aiohttp, which percent-encodes all of it. Names from other clients are returned unchanged. */
export function decodeFileName(sent: string, userAgent: string): string {
  if (!/\baiohttp\//u.test(userAgent) || !ENCODED.test(sent)) return sent;
  try {
    return decodeURIComponent(sent);
  } catch {
    // The encoded bytes are not UTF-8.
    return sent;
  }
}
