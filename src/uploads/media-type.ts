import { fileTypeFromBuffer } from 'file-type';

export const BINARY = 'application/octet-stream';
export const TEXT = 'text/plain; charset=utf-8';

/** What a browser may show by itself: it cannot run as a page, and what else it is called does not matter. */
const SAFE = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'video/mp4',
  'video/webm',
  'audio/mpeg',
  'audio/ogg',
]);

/** Several names of one thing. */
const SAME: Record<string, string> = {
  'image/apng': 'image/png',
  'application/ogg': 'audio/ogg',
  'video/ogg': 'audio/ogg',
  'video/x-m4v': 'video/mp4',
  'audio/opus': 'audio/ogg',
};

/**
 * The type that a file is served as, from its first bytes and from nothing that its sender says: safe media, plain
 * text, or bytes to be saved. A page, a script or an SVG is text like any other.
 */
export async function readMediaType(head: Buffer): Promise<string> {
  const known = (await fileTypeFromBuffer(head))?.mime.split(';')[0] ?? '';
  const type = SAME[known] ?? known;
  if (SAFE.has(type)) return type;
  if (type === '' || type.endsWith('/xml')) return isText(head) ? TEXT : BINARY;
  return BINARY;
}

/** Whether it may be shown where it is, rather than saved. */
export function isInline(mediaType: string): boolean {
  return mediaType === TEXT || SAFE.has(mediaType);
}

/** UTF-8 without control characters; the last character may be cut, for this is only the head. */
function isText(head: Buffer): boolean {
  if (head.some(isControl)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Tab, line ends, form feed and escape are text; what else is below space is not. */
function isControl(byte: number): boolean {
  return byte === 0x7f || (byte < 0x20 && byte !== 0x1b && (byte < 0x09 || byte > 0x0d));
}
