/** The maximum length of a name for display, in bytes of UTF-8. */
const MAX_DISPLAY_BYTES = 255;
const MAX_EXTENSION_LENGTH = 12;

/** Returns the last path segment of a name as it was sent, well-formed and without control characters. */
export function cleanFileName(sent: string): string {
  const segment = sent.split(/[/\\]/u).at(-1) ?? '';
  return segment.toWellFormed().replace(/\p{Cc}/gu, '');
}

/** Zero-width joiners and non-joiners shape the letters and emoji beside them, so they are part of a name. */
const JOINERS = /[\u200c\u200d]/gu;
/** Characters that are invisible or reverse text. */
const INVISIBLE = /[[\p{Cf}\p{Zl}\p{Zp}]--[\u200c\u200d]]/gv;
const MARKS = /\p{M}/gu;
/** Letters that have no mark to take off. */
const PLAIN_LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
  þ: 'th',
  Þ: 'Th',
  ð: 'd',
  Ð: 'D',
};
/** What a system does not allow in the name of a file; some letters decompose into it. */
const FORBIDDEN = /[*/:<>?\\|]/gu;

/** Returns a name for pages and headers: of limited length, and without characters that are invisible or reverse text. */
export function displayName(name: string): string {
  const visible = cleanFileName(name).normalize('NFC').replace(INVISIBLE, '').trim();
  return visible.replace(JOINERS, '') === '' ? 'file' : shorten(visible);
}

/**
 * A displayed name for clients that read ASCII alone, and save the file under it: letters without their marks, and the name
 * `file` with the extension where that is not enough. Every system allows it.
 */
export function asciiName(name: string): string {
  const plain = name.replace(/[^ -~]/gu, (letter) => PLAIN_LETTERS[letter] ?? letter);
  const ascii = plain
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(JOINERS, '')
    .replace(FORBIDDEN, '_')
    .trim();
  const isUsable = /^[ -~]+$/u.test(ascii) && !/^\.*$/u.test(ascii);
  const extension = extensionOf(name);
  return isUsable ? ascii : `file${extension && `.${extension}`}`;
}

/** `photo.JPG` → `jpg`; empty where a name has no extension, or its extension does not fit into a URL. */
export function extensionOf(name: string): string {
  const extension =
    /[^.]\.([a-z0-9]+)$/iu.exec(displayName(name).replace(JOINERS, ''))?.[1]?.toLowerCase() ?? '';
  return extension.length <= MAX_EXTENSION_LENGTH ? extension : '';
}

/**
 * A displayed name for an archive with several files of one name: `photo.jpg`, then `photo (2).jpg`. Every system allows it, and
 * it is no longer than a displayed name.
 */
export function archivedName(name: string, number: number): string {
  // Archives may not have names of dots.
  const portable = /^\.+$/u.test(name) ? 'file' : name.replace(FORBIDDEN, '_');
  return number === 1 ? portable : shorten(portable, ` (${number})`);
}

/** Shortens a name to `MAX_DISPLAY_BYTES` together with `suffix`, which goes before its extension. */
function shorten(name: string, suffix = ''): string {
  const extension = /(?<!^)\.[^.]{1,32}$/u.exec(name)?.[0] ?? '';
  const end = suffix + extension;
  const stem = name.slice(0, name.length - extension.length);
  const maxStemBytes = MAX_DISPLAY_BYTES - Buffer.byteLength(end);
  if (Buffer.byteLength(stem) <= maxStemBytes) return stem + end;
  const start = Buffer.from(stem).subarray(0, maxStemBytes);
  return new TextDecoder().decode(start).replace(/\uFFFD$/u, '') + end;
}
