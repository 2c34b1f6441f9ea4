import type { StoredFile } from '../../uploads/storage.ts';
import { decodeText, isTextType } from '../../uploads/text-encoding.ts';

/** How much of a text file its page shows. */
const PREVIEW_BYTES = 64 * 1024;

/** Reads the beginning of a text file and decodes it. Undefined for an empty file and for other types. */
export async function readPreview({ description, read }: StoredFile) {
  const { mediaType, size } = description;
  if (!isTextType(mediaType) || size === 0) return undefined;
  const bytes = await read({ start: 0, end: Math.min(size, PREVIEW_BYTES) - 1 });
  const goesOn = size > PREVIEW_BYTES;
  const beginning = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.concat(await Array.fromAsync(bytes, (chunk) => Buffer.from(chunk)));
  return { beginning: decodeText(beginning, mediaType, goesOn), goesOn };
}
