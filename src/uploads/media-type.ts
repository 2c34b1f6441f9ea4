import { fileTypeFromBuffer } from 'file-type';

export const BINARY = 'application/octet-stream';
export const TEXT = 'text/plain; charset=utf-8';
const BASE = 'text/plain; charset=';

/** The minimum share of ASCII in a text in Latin letters. Bytes with less are more likely something else. */
const MIN_ASCII_SHARE = 0.7;
/** Bytes without a character in windows-1252, which the web calls Latin-1. */
const UNUSED = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

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
 * Detects what a file is, from its first bytes alone; the sender's claim is ignored. HTML, scripts, SVG and other XML are
 * plain text. The type of text in another encoding than UTF-8 names the encoding. Media that browsers do not play never
 * get a safe type.
 */
export async function detectMediaType(head: Buffer): Promise<string> {
  const { ext = '', mime = '' } = (await fileTypeFromBuffer(head)) ?? {};
  const [type = ''] = mime.toLowerCase().split(';');
  if (type === '' || type.endsWith('xml')) return readTextType(head) ?? BINARY;
  if (NOT_PLAYABLE_IN_MPEG.includes(ext)) return `audio/${ext}`;
  if (!OGG.test(type)) return type;
  if (isPlayableOgg(head)) return 'audio/ogg';
  return SAFE.has(type) ? 'application/ogg' : type;
}

/** The type that a file of a media type is served as: safe media, plain text, or binary, which is downloaded. */
export function servedType(mediaType: string): string {
  const type = PLAYED_AS[mediaType] ?? mediaType;
  return type === TEXT || SAFE.has(type) ? type : BINARY;
}

function isPlayableOgg(head: Buffer): boolean {
  const contains = (codec: string) => head.includes(codec, 0, 'latin1');
  return PLAYABLE_IN_OGG.some(contains) && !NOT_PLAYABLE_IN_OGG.some(contains);
}

/** Detects the media type of a text, with its encoding, from its first bytes. Undefined for bytes that are not text. */
function readTextType(head: Buffer): string | undefined {
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
