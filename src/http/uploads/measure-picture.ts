import { imageDimensionsFromData } from 'image-dimensions';
import type { PictureSize } from '../../domain/cover.ts';
import { servedType } from '../../uploads/media-type.ts';
import type { StoredFile } from '../../uploads/storage.ts';

/** The size of a picture is near its beginning, but for what cameras put before it. */
const MAX_BYTES = 256 * 1024;

/**
 * Measures a picture, so that its page has room for it before it is there. Undefined for anything else, for a picture whose size
 * is not near its beginning, and for a photo that its metadata may turn.
 */
export async function measurePicture({ description, read }: StoredFile): Promise<PictureSize | undefined> {
  const { mediaType, size } = description;
  if (!servedType(mediaType).startsWith('image/')) return undefined;
  const bytes = await read({ start: 0, end: Math.min(size, MAX_BYTES) - 1 });
  const beginning = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.concat(await Array.fromAsync(bytes, (chunk) => Buffer.from(chunk)));
  if (mediaType === 'image/jpeg' && beginning.includes('Exif\0')) return undefined;
  try {
    const { width, height } = imageDimensionsFromData(beginning) ?? {};
    return width && height ? { width, height } : undefined;
  } catch {
    // A stranger's picture may be damaged in any way.
    return undefined;
  }
}
