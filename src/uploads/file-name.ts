/** How long a name may be in an answer or a header, in bytes of UTF-8; its extension is kept. */
const MAX_SHOWN = 255;
const MAX_EXTENSION = 12;

/** The name as it was sent: its last path segment, well-formed, without control characters. */
export function receivedName(sent: string): string {
  const segment = sent.split(/[/\\]/u).at(-1) ?? '';
  return segment.toWellFormed().replace(/\p{Cc}/gu, '');
}

/** The name for people and for headers: also without what turns text around or cannot be seen, and not too long. */
export function displayName(name: string): string {
  const seen = receivedName(name)
    .normalize('NFC')
    .replace(/\p{Cf}|\p{Zl}|\p{Zp}/gu, '')
    .trim();
  return shorten(seen) || 'file';
}

/** `photo.JPG` → `jpg`; empty when there is none that could stand in an address. */
export function extensionOf(name: string): string {
  const extension = /[^.]\.([a-z0-9]+)$/iu.exec(displayName(name))?.[1]?.toLowerCase() ?? '';
  return extension.length <= MAX_EXTENSION ? extension : '';
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_SHOWN) return name;
  const extension = /\.[^.]{1,32}$/u.exec(name)?.[0] ?? '';
  const room = MAX_SHOWN - Buffer.byteLength(extension);
  const stem = Buffer.from(name.slice(0, name.length - extension.length)).subarray(0, room);
  return new TextDecoder().decode(stem).replace(/\uFFFD$/u, '') + extension;
}
