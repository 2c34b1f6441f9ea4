import { RemovedFileError, type Storage } from '../storage.ts';
import type { StorageOptions } from './drivers.ts';
import { unlessFull } from './errors.ts';
import { parseS3Url } from './s3/address.ts';
import { openBucket } from './s3/bucket.ts';
import { createOutageReporter } from './s3/errors.ts';
import { openExpiryFolders } from './s3/expiry-folders.ts';
import { type Manifest, openPublishedFiles } from './s3/published-files.ts';
import { readRange } from './s3/read.ts';
import { openRecords } from './s3/records.ts';
import { openResumableRecords } from './s3/resumable-records.ts';
import { StagedObject } from './s3/staged-object.ts';
import { openStaging } from './s3/staging.ts';
import { stageUpload, type UploadWriter } from './staged-upload.ts';

/**
 * `s3://bucket?region=…[&endpoint=https://host][&prefix=folder]`: keeps uploads in a bucket of Amazon S3 or of a
 * compatible server. Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from the other places where
 * Amazon's tools look. Opening sends no request; while S3 cannot be reached, methods throw `storage-down`.
 */
export async function openS3Storage(url: string, { clock, report }: StorageOptions): Promise<Storage> {
  const address = parseS3Url(url);
  const bucket = openBucket(address, createOutageReporter(report, clock));
  const staging = openStaging(bucket, clock);
  const folders = openExpiryFolders(bucket);
  const files = openPublishedFiles(bucket, address.label);
  const resumable = openResumableRecords({
    bucket,
    clock,
    isPublished: async (id) => (await files.find(id)) !== undefined,
    publish: (id, bytes, description) => files.publish(id, { bytes, description }),
  });
  const writers = new Set<UploadWriter>();

  function createWriter(): UploadWriter {
    const bytes = staging.nextKey();
    const object = new StagedObject({ bucket, staging, key: bytes });
    let begun: { id: string; manifest: Manifest } | undefined;
    const writer: UploadWriter = {
      append: (chunk) => object.append(chunk),
      async publish(id, description) {
        const manifest = { bytes, description };
        begun = { id, manifest };
        await files.publish(id, manifest, object);
        writers.delete(writer);
      },
      async discard() {
        writers.delete(writer);
        await object.discard();
        if (begun) await files.retract(begun.id, begun.manifest).catch(() => {});
      },
    };
    writers.add(writer);
    return writer;
  }

  return {
    stage: (stream, options) => stageUpload(stream, createWriter(), clock, options),

    async open(id) {
      const manifest = await files.find(id);
      if (!manifest) return undefined;
      if ('mark' in manifest) throw new RemovedFileError(manifest.mark);
      const { bytes, description } = manifest;
      const whole = { start: 0, end: description.size - 1 };
      return { description, read: (range = whole) => readRange(bucket, bytes, range) };
    },

    remove: files.remove,
    withdraw: files.withdraw,

    async sweep(now) {
      const swept = await folders.sweep(now);
      return { files: swept, stagedUploads: (await staging.sweep(now)) + (await resumable.sweep(now)) };
    },

    resumable,
    usage: () => folders.usage(),
    // Only processes that are storing a large file can be detected, so there may always be others.
    isShared: async () => true,
    freeBytes: async () => Number.POSITIVE_INFINITY,
    records: openRecords(bucket),
    check: (signal) => bucket.check(signal).catch(unlessFull),

    async close() {
      await Promise.all([...writers].map((writer) => writer.discard()));
      await staging.close();
      bucket.close();
    },
  };
}
