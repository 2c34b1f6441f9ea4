import { fileTypeFromBuffer } from 'file-type';
import { readTextType, TEXT } from './text-encoding.ts';

export const BINARY = 'application/octet-stream';

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

/** The type under which a detected one is served. */
const ALIASES: Record<string, string> = {
  'image/apng': 'image/png',
  'video/x-m4v': 'video/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
  // Phones record MP4 in this container; browsers play it as MP4.
  'video/quicktime': 'video/mp4',
};

const OGG = /^(?:(?:audio|video|application)\/ogg|audio\/opus)$/u;
/** An Ogg file names its codecs near its beginning. Browsers play only these, and no Ogg video. */
const PLAYABLE_IN_OGG = ['OpusHead', '\x01vorbis', '\x7fFLAC'];
const NOT_PLAYABLE_IN_OGG = ['\x80theora', '\x01video', 'Speex   '];
/** MPEG layers 1 and 2, which are detected as `audio/mpeg` as well. */
const NOT_PLAYABLE_IN_MPEG = ['mp1', 'mp2'];

/**
 * Detects the type that a file is served as, from its first bytes alone: safe media, plain text, or binary. The
 * sender's claim is ignored. HTML, scripts and SVG count as plain text. The type of text in another encoding than UTF-8
 * names the encoding; such text is served as a download.
 */
export async function detectMediaType(head: Buffer): Promise<string> {
  const { ext = '', mime = '' } = (await fileTypeFromBuffer(head)) ?? {};
  const detected = mime.split(';')[0] ?? '';
  if (OGG.test(detected)) return isPlayableOgg(head) ? 'audio/ogg' : BINARY;
  if (NOT_PLAYABLE_IN_MPEG.includes(ext)) return BINARY;
  const type = ALIASES[detected] ?? detected;
  if (SAFE.has(type)) return type;
  if (type === '' || type.endsWith('/xml')) return readTextType(head) ?? BINARY;
  return BINARY;
}

/** Whether a browser may display the type in place; other files are downloaded. */
export function isInline(mediaType: string): boolean {
  return mediaType === TEXT || SAFE.has(mediaType);
}

function isPlayableOgg(head: Buffer): boolean {
  const contains = (codec: string) => head.includes(codec, 0, 'latin1');
  return PLAYABLE_IN_OGG.some(contains) && !NOT_PLAYABLE_IN_OGG.some(contains);
}
