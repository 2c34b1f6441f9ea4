import { fileTypeFromBuffer } from 'file-type';
import { detectEncoding } from '../domain/text-encoding.ts';
import TYPES from './media-types.json' with { type: 'json' };

export const BINARY = 'application/octet-stream';
export const PLAIN_TEXT = 'text/plain; charset=utf-8';
const BASE = 'text/plain; charset=';

/** Media that browsers play or display and that cannot run as a page. */
const SAFE = new Set(TYPES.safe);
/** The safe type as which a browser plays or displays another one, such as the QuickTime of phones. */
const PLAYED_AS: Record<string, string> = TYPES.playedAs;

const OGG = /^(?:(?:audio|video|application)\/ogg|audio\/opus)$/u;
/** An Ogg file names its codecs near its beginning. Browsers play only these, and no Ogg video. */
const PLAYABLE_IN_OGG = ['OpusHead', '\x01vorbis', '\x7fFLAC'];
const NOT_PLAYABLE_IN_OGG = ['\x80theora', '\x01video', 'Speex   '];
/** MPEG layers 1 and 2, which are detected as `audio/mpeg` as well. */
const NOT_PLAYABLE_IN_MPEG = ['mp1', 'mp2'];

/** WebVTT: detected by its first characters, but served as text. */
const SUBTITLES = 'text/vtt';

/**
 * Detects what a file is, from its first bytes alone; the sender's claim is ignored. HTML, scripts, SVG, other XML and
 * subtitles are plain text. The type of text in another encoding than UTF-8 names the encoding. Media that browsers do not play
 * never get a safe type.
 */
export async function detectMediaType(head: Buffer): Promise<string> {
  const { ext = '', mime = '' } = (await fileTypeFromBuffer(head)) ?? {};
  const [type = ''] = mime.toLowerCase().split(';');
  if (type === '' || type.endsWith('xml') || type === SUBTITLES) {
    const encoding = detectEncoding(head);
    return encoding === undefined ? BINARY : `${BASE}${encoding}`;
  }
  if (NOT_PLAYABLE_IN_MPEG.includes(ext)) return `audio/${ext}`;
  if (!OGG.test(type)) return type;
  if (isPlayableOgg(head)) return 'audio/ogg';
  return SAFE.has(type) ? 'application/ogg' : type;
}

/** The type that a file of a media type is served as: safe media, plain text, or binary, which is downloaded. */
export function servedType(mediaType: string): string {
  const type = PLAYED_AS[mediaType] ?? mediaType;
  return type === PLAIN_TEXT || SAFE.has(type) ? type : BINARY;
}

function isPlayableOgg(head: Buffer): boolean {
  const contains = (codec: string) => head.includes(codec, 0, 'latin1');
  return PLAYABLE_IN_OGG.some(contains) && !NOT_PLAYABLE_IN_OGG.some(contains);
}

/** The encoding of a text by its media type; undefined for anything else. */
export function encodingOf(mediaType: string): string | undefined {
  return mediaType.startsWith(BASE) ? mediaType.slice(BASE.length) : undefined;
}
