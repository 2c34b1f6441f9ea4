export const TEXT = 'text/plain; charset=utf-8';
const BASE = 'text/plain; charset=';

/** The minimum share of ASCII in a text in Latin letters. Bytes with less are more likely something else. */
const MIN_ASCII_SHARE = 0.7;
/** Bytes without a character in windows-1252, which the web calls Latin-1. */
const UNUSED = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** Detects the media type of a text, with its encoding, from its first bytes. Undefined for bytes that are not text. */
export function readTextType(head: Buffer): string | undefined {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return utf16Type(head, 'utf-16le');
  if (first === 0xfe && second === 0xff) return utf16Type(head, 'utf-16be');
  if (head.some(isControl)) return undefined;
  if (canDecode(head, 'utf-8')) return TEXT;
  return isLatin(head) ? `${BASE}windows-1252` : undefined;
}

export function isTextType(mediaType: string): boolean {
  return mediaType.startsWith(BASE);
}

/** Decodes a text of such a media type. `isCut`: the bytes may end within a character, which is then left out. */
export function decodeText(bytes: Buffer, mediaType: string, isCut: boolean): string {
  const charset = mediaType.slice(BASE.length);
  // The type was detected from fewer bytes, which may have been ASCII.
  const isLatinAfterAscii = charset === 'utf-8' && !canDecode(bytes, charset, isCut) && isLatin(bytes);
  return new TextDecoder(isLatinAfterAscii ? 'windows-1252' : charset).decode(bytes, { stream: isCut });
}

function utf16Type(head: Buffer, encoding: string): string | undefined {
  if (!canDecode(head, encoding)) return undefined;
  const text = new TextDecoder(encoding).decode(head, { stream: true });
  const hasControl = [...text].some((character) => isControl(character.charCodeAt(0)));
  return hasControl ? undefined : `${BASE}${encoding}`;
}

/** `isCut`: the bytes may end within a character. */
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

/** Whether a character does not occur in text. Tab, line ends, form feed and escape do; other control characters do not. */
function isControl(code: number): boolean {
  return code === 0x7f || (code < 0x20 && code !== 0x1b && (code < 0x09 || code > 0x0d));
}
