import { fileTooLarge } from '../../storage.ts';
import { createBatches } from '../batches.ts';
import type { UploadWriter } from '../staged-upload.ts';
import { type Bucket, MAX_PARTS, PART_BYTES, type Part } from './bucket.ts';
import { BYTES } from './keys.ts';
import type { PublishedFiles } from './published-files.ts';
import type { Staging } from './staging.ts';

/**
 * Creates the object of a staged upload: sent in parts as they fill, or at once on publication if it is smaller than a part.
 * Two parts are in memory at most.
 */
export function createStagedObject(bucket: Bucket, staging: Staging, files: PublishedFiles): UploadWriter {
  const key = `${BYTES}${staging.nextName()}`;
  const batches = createBatches(PART_BYTES, sendPart);
  const discarded = new AbortController();
  const parts: Part[] = [];
  let uploadId: string | undefined;
  let sentBytes = 0;
  let retract = async () => {};

  async function sendPart(bytes: Buffer): Promise<void> {
    discarded.signal.throwIfAborted();
    const number = parts.length + 1;
    if (number > MAX_PARTS) throw fileTooLarge(MAX_PARTS * PART_BYTES);
    if (uploadId === undefined) {
      // Other processes do not abort the parts while this one lives.
      await staging.hold(key);
      uploadId = await bucket.beginUpload(key);
    }
    parts.push(await bucket.putPart({ key, uploadId }, number, bytes, discarded.signal));
    sentBytes += bytes.length;
  }

  /** Removes all parts, and what a publication has left that failed. */
  async function discard(): Promise<void> {
    discarded.abort();
    // S3 may keep a part that arrives after its upload was aborted.
    await batches.settle();
    // A sweep aborts what this cannot, or what a request has begun that got no answer.
    if (uploadId !== undefined) await bucket.abortUpload({ key, uploadId }).catch(() => {});
    staging.release(key);
    await staging.attempt(retract);
  }

  return {
    append: batches.append,

    async publish(id, description, requireGranted) {
      const manifest = { bytes: key, description };
      retract = () => files.retract(id, manifest);
      const [rest] = await Promise.all([batches.finish(), files.announce(id, manifest)]);
      if (uploadId !== undefined) {
        if (rest.length > 0) await sendPart(rest);
        await bucket.completeUpload({ key, uploadId }, parts, sentBytes);
        uploadId = undefined;
        staging.release(key);
      } else await bucket.put(key, rest);
      requireGranted();
      await files.publish(id, manifest);
    },

    discard,
  };
}
