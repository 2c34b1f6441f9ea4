import type { UploadWriter } from '../staged-upload.ts';
import { WriteBuffer } from '../write-buffer.ts';
import type { Bucket } from './bucket.ts';
import { beyondParts, MAX_PARTS, type MultipartUpload, PART_BYTES, type Part } from './multipart.ts';
import type { PublishedFiles } from './published-files.ts';
import type { Staging } from './staging.ts';

/** How much is kept in memory before the buffer of a whole part is allocated. */
const SMALL_BYTES = 64 * 1024;

/**
 * Creates the object of a staged upload: sent in parts as they fill, or at once on publication if it is smaller than a part.
 * Two parts are in memory at most.
 */
export function createStagedObject(bucket: Bucket, staging: Staging, files: PublishedFiles): UploadWriter {
  const key = staging.nextKey();
  const buffer = new WriteBuffer({
    smallBytes: SMALL_BYTES,
    batchBytes: PART_BYTES,
    isEven: true,
    write: sendPart,
  });
  const discarded = new AbortController();
  const parts: Part[] = [];
  let upload: MultipartUpload | undefined;
  let sentBytes = 0;
  let retract: (() => Promise<void>) | undefined;

  async function sendPart(bytes: Buffer): Promise<void> {
    discarded.signal.throwIfAborted();
    const number = parts.length + 1;
    if (number > MAX_PARTS) throw beyondParts();
    upload ??= await staging.begin(key);
    parts.push(await bucket.parts.putPart(upload, number, bytes, discarded.signal));
    sentBytes += bytes.length;
  }

  return {
    append: (chunk) => buffer.append(chunk),

    async publish(id, description) {
      const manifest = { bytes: key, description };
      retract = () => files.retract(id, manifest);
      const [rest] = await Promise.all([buffer.finish(), files.announce(id, manifest)]);
      if (upload) {
        if (rest.length > 0) await sendPart(rest);
        await bucket.parts.complete(upload, parts, sentBytes);
        staging.end(key);
      } else await bucket.put(key, rest);
      await files.publish(id, manifest);
    },

    /** Removes all parts, and what a publication has left that failed. */
    async discard() {
      discarded.abort();
      // S3 may keep a part that arrives after its upload was aborted.
      await buffer.settle();
      if (upload) await staging.abort(key);
      if (retract) await staging.attempt(retract);
    },
  };
}
