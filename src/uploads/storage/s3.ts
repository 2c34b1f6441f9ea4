import type { Storage, Swept } from '../storage.ts';
import { unlessFull } from './errors.ts';
import { attempt } from './failures.ts';
import { COLLECTIONS, inFolder, RECORDS, RESUMABLE, unknownFolders } from './objects.ts';
import { openResumable } from './resumable-in-objects.ts';
import { parseS3Url } from './s3/address.ts';
import { openBucket } from './s3/bucket.ts';
import { ALIVE, BYTES, REMOVING } from './s3/keys.ts';
import { openPublishedFiles } from './s3/published-files.ts';
import { openPieces } from './s3/resumable-pieces.ts';
import { createStagedObject } from './s3/staged-object.ts';
import { openStaging } from './s3/staging.ts';
import { stageUpload } from './staged-upload.ts';

/**
 * `s3://bucket?region=…[&endpoint=https://host][&prefix=folder]`: keeps uploads in a bucket of Amazon S3 or of a
 * compatible server. Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from the other places where
 * Amazon's tools look.
 * Opening sends no request; while S3 cannot be reached, methods throw `storage-down`.
 */
export async function openS3Storage(url: string): Promise<Storage> {
  const address = parseS3Url(url);
  const bucket = openBucket(address);
  const staging = openStaging(bucket);
  const files = openPublishedFiles(bucket, staging);
  const bytes = { bucket, staging, files };
  const resumable = openResumable(bucket, openPieces(bytes), files.isPublished);

  return {
    stage: (chunks, maxBytes) => stageUpload(chunks, createStagedObject(bytes), maxBytes),
    open: files.open,
    remove: files.remove,

    async sweep(now, failures = new Map()) {
      const swept: Swept = { files: 0, stagedUploads: 0, removed: [], kept: [] };
      await attempt(failures, BYTES, () => staging.sweep(now, swept, failures));
      await attempt(failures, REMOVING, () => files.finishRemovals(swept, failures));
      await attempt(failures, '', () => files.sweep(now, swept, failures));
      await attempt(failures, RESUMABLE, () => resumable.sweep(now, swept, failures));
      return swept;
    },

    resumable,
    usage: files.usage,
    free: async () => ({ bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY }),
    records: inFolder(bucket, RECORDS),
    collections: inFolder(bucket, COLLECTIONS),
    contents: {
      ids: files.ids,
      putMark: files.putMark,
      async findUnknown() {
        const pages = await Array.fromAsync(bucket.pages('', true));
        return unknownFolders(
          pages.flatMap(({ folders }) => folders),
          [ALIVE, BYTES, REMOVING],
        );
      },
    },
    check: (signal) => bucket.check(signal).catch(unlessFull),

    async close() {
      await staging.close();
      bucket.close();
    },
  };
}
