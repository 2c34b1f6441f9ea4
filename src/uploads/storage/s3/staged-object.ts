import type { CompletedPart } from '@aws-sdk/client-s3';
import { once } from '../../../domain/serial.ts';
import { fileTooLarge } from '../../storage.ts';
import { createBatches } from '../batches.ts';
import { chunksOf, type UploadWriter } from '../staged-upload.ts';
import { MAX_PARTS, PART_BYTES, type S3Bucket } from './bucket.ts';
import { BYTES } from './keys.ts';
import type { PublishedFiles } from './published-files.ts';
import { readObjectRange } from './read.ts';
import type { S3Staging } from './staging.ts';

/** A smaller file is in the object of its description. Larger ones may be sent by the object store itself. */
const LARGE_BYTES = 1024 * 1024;

/** What keeps the bytes of uploads in a bucket. */
export interface BytesInS3 {
  bucket: S3Bucket;
  staging: S3Staging;
  files: PublishedFiles;
}

/**
 * Creates the object of a staged upload: sent in parts as they fill, or at once on publication if it is smaller than a part.
 * Two parts are in memory at most. `findCopy` returns the key of an object that consists of these bytes of the file, if there
 * is one: it is copied inside S3.
 */
export function createStagedObject(
  { bucket, staging, files }: BytesInS3,
  findCopy?: (start: number, end: number) => string | undefined,
): UploadWriter {
  const key = `${BYTES}${staging.nextName()}`;
  const batches = createBatches(PART_BYTES, sendPart);
  const discarded = new AbortController();
  const parts: CompletedPart[] = [];
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
    const upload = { key, uploadId };
    const source = findCopy?.(sentBytes, sentBytes + bytes.length);
    const copied = source && (await bucket.copyPart(upload, number, source).catch(() => undefined));
    // Some servers cannot copy parts.
    parts.push(copied || (await bucket.putPart(upload, number, bytes, discarded.signal)));
    sentBytes += bytes.length;
  }

  /** Resolves with the bytes of an upload without parts, which are in memory; else with undefined once the object is there. */
  const finish = once(async (): Promise<Buffer | undefined> => {
    const rest = await batches.finish();
    if (uploadId === undefined) return rest;
    if (rest.length > 0) await sendPart(rest);
    await staging.note(key, { keys: [key] });
    retract = () => bucket.remove([key]);
    await bucket.completeUpload({ key, uploadId }, parts, sentBytes);
    uploadId = undefined;
    return undefined;
  });

  /** Removes all parts, and what a publication has left that failed. */
  async function discard(): Promise<void> {
    discarded.abort();
    // S3 may keep a part that arrives after its upload was aborted.
    await batches.settle();
    // A sweep aborts what this cannot, or what a request has begun that got no answer.
    if (uploadId !== undefined) await bucket.abortUpload({ key, uploadId }).catch(() => {});
    await staging.retryLater(async () => {
      await retract();
      await staging.release(key);
    });
  }

  return {
    append: batches.append,

    async *read(size) {
      const bytes = await finish();
      yield* bytes ? [bytes] : chunksOf(readObjectRange(bucket, key, { start: 0, end: size - 1 }));
    },

    async publish(id, description, requireGranted) {
      const bytes = await finish();
      const isSmall = bytes !== undefined && bytes.length < LARGE_BYTES;
      const manifest = { bytes: isSmall ? undefined : key, description };
      retract = () => files.retract(id, manifest);
      await files.publish(id, manifest, bytes, requireGranted);
      await staging.release(key);
    },

    discard,
  };
}
