/** Encodings of plain text: which one a file has, by its first bytes, and what it says. */

export const TEXT = 'text/plain; charset=utf-8';
const BASE = 'text/plain; charset=';

/** At least so much of a text in Latin letters is ASCII; less is more likely something else. */
const MIN_ASCII_SHARE = 0.7;
/** Bytes that windows-1252, which the web calls Latin-1, gives no character. */
const UNUSED = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** The media type of a text with its encoding, from its first bytes; undefined for what is no text. */
export function readTextType(head: Buffer): string | undefined {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return isUtf16(head, 'utf-16le');
  if (first === 0xfe && second === 0xff) return isUtf16(head, 'utf-16be');
  if (head.some(isControl)) return undefined;
  if (canDecode(head, 'utf-8')) return TEXT;
  return isLatin(head) ? `${BASE}windows-1252` : undefined;
}

export function isTextType(mediaType: string): boolean {
  return mediaType.startsWith(BASE);
}

/** The text of a file that has such a media type. `isCut`: its last character may be, and is left out then. */
export function decodeText(bytes: Buffer, mediaType: string, isCut: boolean): string {
  const named = mediaType.slice(BASE.length);
  // Only the first bytes were looked at when the file was received.
  const encoding =
    named === 'utf-8' && !canDecode(bytes, named, isCut) && isLatin(bytes) ? 'windows-1252' : named;
  return new TextDecoder(encoding).decode(bytes, { stream: isCut });
}

function isUtf16(head: Buffer, encoding: string): string | undefined {
  if (!canDecode(head, encoding)) return undefined;
  const text = new TextDecoder(encoding).decode(head, { stream: true });
  const hasControl = [...text].some((character) => isControl(character.charCodeAt(0)));
  return hasControl ? undefined : `${BASE}${encoding}`;
}

/** `isCut`: the last character may be. */
function canDecode(bytes: Buffer, encoding: string, isCut = true): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
    return true;
  } catch {
    return false;
  }
}

function isLatin(bytes: Buffer): boolean {
  if (bytes.some((byte) => UNUSED.has(byte))) return false;
  const ascii = bytes.reduce((count, byte) => count + (byte < 0x80 ? 1 : 0), 0);
  return ascii >= bytes.length * MIN_ASCII_SHARE;
}

/** Tab, line ends, form feed and escape are text; what else is below space is not. */
function isControl(code: number): boolean {
  return code === 0x7f || (code < 0x20 && code !== 0x1b && (code < 0x09 || code > 0x0d));
}
