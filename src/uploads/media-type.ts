import { fileTypeFromBuffer } from 'file-type';

export const BINARY = 'application/octet-stream';
export const TEXT = 'text/plain; charset=utf-8';

/** Media that browsers play or display and that cannot run as a page. */
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

/** The safe type as which a browser plays or displays another one. */
const PLAYED_AS: Record<string, string> = {
  'image/apng': 'image/png',
  'video/x-m4v': 'video/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/opus': 'audio/ogg',
  'audio/x-flac': 'audio/flac',
  // Phones record MP4 in this container; browsers play it as MP4.
  'video/quicktime': 'video/mp4',
};

/**
 * Detects what a file is, from its first bytes alone; the sender's claim is ignored. HTML, scripts, SVG and other XML are
 * plain text, which is in UTF-8.
 */
export async function detectMediaType(head: Buffer): Promise<string> {
  const { mime = '' } = (await fileTypeFromBuffer(head)) ?? {};
  const [type = ''] = mime.toLowerCase().split(';');
  if (type === '' || type.endsWith('xml')) return isText(head) ? TEXT : BINARY;
  return type;
}

/** The type that a file of a media type is served as: safe media, plain text, or binary, which is downloaded. */
export function servedType(mediaType: string): string {
  const type = PLAYED_AS[mediaType] ?? mediaType;
  return type === TEXT || SAFE.has(type) ? type : BINARY;
}

/** Whether bytes, which may end within a character, are a text. */
function isText(head: Buffer): boolean {
  if (head.some(isControl)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Whether a byte does not occur in text. Tab, line ends, form feed and escape do; other control characters do not. */
function isControl(byte: number): boolean {
  return byte === 0x7f || (byte < 0x20 && byte !== 0x1b && (byte < 0x09 || byte > 0x0d));
}
