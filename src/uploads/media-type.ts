import { fileTypeFromBuffer } from 'file-type';
import { readTextType, TEXT } from './text-encoding.ts';

export { TEXT };

export const BINARY = 'application/octet-stream';

/** What a browser may show by itself, and plays or shows at all: none of it can run as a page. */
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
  'audio/wav',
  'audio/flac',
  'audio/aac',
  'audio/mp4',
]);

/** Several names of one thing. */
const SAME: Record<string, string> = {
  'image/apng': 'image/png',
  'application/ogg': 'audio/ogg',
  'video/ogg': 'audio/ogg',
  'video/x-m4v': 'video/mp4',
  'audio/opus': 'audio/ogg',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
  // The container of MP4, as phones record it: browsers play it as one.
  'video/quicktime': 'video/mp4',
};

/**
 * The type that a file is served as, from its first bytes and from nothing that its sender says: safe media, plain
 * text, or bytes to be saved. A page, a script or an SVG is text like any other. Text in another encoding than UTF-8 is
 * named with it, and saved.
 */
export async function readMediaType(head: Buffer): Promise<string> {
  const known = (await fileTypeFromBuffer(head))?.mime.split(';')[0] ?? '';
  const type = SAME[known] ?? known;
  if (SAFE.has(type)) return type;
  if (type === '' || type.endsWith('/xml')) return readTextType(head) ?? BINARY;
  return BINARY;
}

/** Whether it may be shown where it is, rather than saved. */
export function isInline(mediaType: string): boolean {
  return mediaType === TEXT || SAFE.has(mediaType);
}
