/** The maximum length of a name for display, in bytes of UTF-8. */
const MAX_DISPLAY_BYTES = 255;
const MAX_EXTENSION_LENGTH = 12;

/** Returns the last path segment of a name as it was sent, well-formed and without control characters. */
export function cleanFileName(sent: string): string {
  const segment = sent.split(/[/\\]/u).at(-1) ?? '';
  return segment.toWellFormed().replace(/\p{Cc}/gu, '');
}

/** Returns a name for pages and headers: of limited length, and without characters that are invisible or reverse text. */
export function displayName(name: string): string {
  const visible = cleanFileName(name)
    .normalize('NFC')
    .replace(/\p{Cf}|\p{Zl}|\p{Zp}/gu, '')
    .trim();
  return shorten(visible) || 'file';
}

/** `photo.JPG` → `jpg`; empty for a name without an extension, and for one that does not fit into a URL. */
export function extensionOf(name: string): string {
  const extension = /[^.]\.([a-z0-9]+)$/iu.exec(displayName(name))?.[1]?.toLowerCase() ?? '';
  return extension.length <= MAX_EXTENSION_LENGTH ? extension : '';
}

/** Shortens a name to `MAX_DISPLAY_BYTES`, and keeps its extension. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MAX_DISPLAY_BYTES) return name;
  const extension = /\.[^.]{1,32}$/u.exec(name)?.[0] ?? '';
  const maxStemBytes = MAX_DISPLAY_BYTES - Buffer.byteLength(extension);
  const stem = Buffer.from(name.slice(0, name.length - extension.length)).subarray(0, maxStemBytes);
  return new TextDecoder().decode(stem).replace(/\uFFFD$/u, '') + extension;
}
