import { parseS3Url } from './address.ts';
import { openBucket } from './bucket.ts';
import { isReplaced } from './errors.ts';
import { BYTES } from './keys.ts';

/** The ETag of no object. */
const OTHER_VERSION = `"${'0'.repeat(32)}"`;

/**
 * Whether the server of an `s3://` URL refuses to replace an object that is not the expected version. Some ignore the
 * header `If-Match`, others answer that it is not implemented. Writes and removes an object with this unique name.
 */
export async function hasConditionalWrites(url: string, name: string): Promise<boolean> {
  const bucket = openBucket(parseS3Url(url), () => {});
  const key = `${BYTES}${name}`;
  try {
    await bucket.put(key, Buffer.from('first'));
    await bucket.putIfVersion(key, Buffer.from('second'), OTHER_VERSION);
    return false;
  } catch (error) {
    if (isReplaced(error)) return true;
    throw error;
  } finally {
    await bucket.remove([key]).catch(() => {});
    bucket.close();
  }
}
