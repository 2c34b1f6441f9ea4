/** The minimum share of ASCII in a text in Latin letters. Bytes with less are more likely something else. */
const MIN_ASCII_SHARE = 0.7;
/** Bytes without a character in windows-1252, which the web calls Latin-1. */
const UNUSED = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** Detects the encoding of a text from its first bytes, such as `utf-8`. Undefined for bytes that are not text. */
export function detectEncoding(head: Buffer): string | undefined {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return isUtf16(head, 'utf-16le') ? 'utf-16le' : undefined;
  if (first === 0xfe && second === 0xff) return isUtf16(head, 'utf-16be') ? 'utf-16be' : undefined;
  if (head.some(isControl)) return undefined;
  if (canDecode(head, 'utf-8')) return 'utf-8';
  return isLatin(head) ? 'windows-1252' : undefined;
}

/** Decodes a text in such an encoding. `isCut`: the bytes may end within a character, which is then left out. */
export function decodeText(bytes: Buffer, encoding: string, isCut: boolean): string {
  // The encoding was detected from fewer bytes, which may have been ASCII.
  const isLatinAfterAscii = encoding === 'utf-8' && !canDecode(bytes, encoding, isCut) && isLatin(bytes);
  return new TextDecoder(isLatinAfterAscii ? 'windows-1252' : encoding).decode(bytes, { stream: isCut });
}

function isUtf16(head: Buffer, encoding: string): boolean {
  if (!canDecode(head, encoding)) return false;
  const text = new TextDecoder(encoding).decode(head, { stream: true });
  return ![...text].some((character) => isControl(character.charCodeAt(0)));
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
