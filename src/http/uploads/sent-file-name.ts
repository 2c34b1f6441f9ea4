/** A name in which all but letters, digits and `_.-~` is encoded. multer has decoded the quotes and line ends in it already. */
const ENCODED = /^(?:[A-Za-z0-9_.~"\r\n-]|%[0-9A-F]{2})+$/u;

/** Decodes the `filename` of a part by aiohttp, which encodes all of it. Names of other clients, and `filename*`, are as they are. */
export function decodeFileName(sent: string, userAgent: string): string {
  if (!/\baiohttp\//u.test(userAgent) || !ENCODED.test(sent)) return sent;
  try {
    return decodeURIComponent(sent);
  } catch {
    // The encoded bytes are not UTF-8.
    return sent;
  }
}
