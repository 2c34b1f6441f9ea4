import { occupiedBytes, type UploadDescription } from '../../domain/upload.ts';
import { DamagedFileError, type RemovalMark, RemovedFileError, type Storage } from '../storage.ts';
import type { StorageOptions } from './drivers.ts';
import { placeOf } from './expiry-hour.ts';
import { parseS3Url } from './s3/address.ts';
import { openBucket } from './s3/bucket.ts';
import { createOutageReporter } from './s3/errors.ts';
import { openExpiryFolders } from './s3/expiry-folders.ts';
import { parseKey, summaryKey } from './s3/keys.ts';
import { readRange } from './s3/read.ts';
import { openRecords } from './s3/records.ts';
import { openResumableRecords } from './s3/resumable-records.ts';
import { StagedObject } from './s3/staged-object.ts';
import { openStaging } from './s3/staging.ts';
import { stageUpload, type UploadWriter } from './staged-upload.ts';

/** The object that makes a file visible. */
interface Manifest {
  /** Key of the bytes. */
  bytes: string;
  description: UploadDescription;
}

/** Replaces the manifest of a withdrawn file. */
interface WithdrawnManifest {
  mark: RemovalMark;
}

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
  const removing = new Set<string>();
  const writers = new Set<UploadWriter>();

  async function find(id: string): Promise<Manifest | WithdrawnManifest | undefined> {
    const key = placeOf(id);
    const json = key && (await bucket.get(key));
    return json ? parseManifest(json.toString(), `${address.place}${key}`) : undefined;
  }

  function createWriter(): UploadWriter {
    const bytes = staging.nextKey();
    const object = new StagedObject({ bucket, staging, key: bytes });
    let written: string[] = [];
    const writer: UploadWriter = {
      append: (chunk) => object.append(chunk),
      async publish(id, description) {
        const manifest: Manifest = { bytes, description };
        const [key, bytesKey, summary] = keysOf(id, manifest);
        written = [key, bytesKey, summary];
        // The summary is written before the bytes are whole, so that a sweep finds them even after a crash.
        await Promise.all([bucket.put(summary, Buffer.alloc(0)), object.flush()]);
        await object.complete();
        await bucket.put(key, Buffer.from(JSON.stringify(manifest)));
        writers.delete(writer);
      },
      async discard() {
        writers.delete(writer);
        await object.discard();
        await removeInOrder(written).catch(() => {});
      },
    };
    writers.add(writer);
    return writer;
  }

  async function remove(id: string): Promise<boolean> {
    const manifest = await find(id);
    if (!manifest || 'mark' in manifest) return false;
    await removeInOrder(keysOf(id, manifest));
    return true;
  }

  /** Finds the bytes by the summary, which is there until they are gone, also after an interrupted removal. */
  async function removeBytes(id: string): Promise<void> {
    for await (const { objects } of bucket.list(`${placeOf(id)}.`)) {
      for (const { key } of objects) {
        const { summary } = parseKey(key) ?? {};
        if (summary) await removeInOrder([summary.bytes, key]);
      }
    }
  }

  /** In the order of removal. The summary is last: with it, a sweep removes what an interrupted removal leaves. */
  function keysOf(id: string, { bytes, description }: Manifest): [string, string, string] {
    const key = placeOf(id) ?? '';
    const summary = summaryKey(key, { ...description, size: occupiedBytes(description), bytes });
    return [key, bytes, summary];
  }

  async function removeInOrder(keys: string[]): Promise<void> {
    for (const key of keys) await bucket.remove([key]);
  }

  const resumable = openResumableRecords({
    bucket,
    clock,
    isPublished: async (id) => (await find(id)) !== undefined,
    async publish(id, bytes, description) {
      const manifest: Manifest = { bytes, description };
      const [key, , summary] = keysOf(id, manifest);
      await bucket.put(summary, Buffer.alloc(0));
      await bucket.put(key, Buffer.from(JSON.stringify(manifest)));
    },
  });

  return {
    stage: (stream, options) => stageUpload(stream, createWriter(), clock, options),

    async open(id) {
      const manifest = await find(id);
      if (!manifest) return undefined;
      if ('mark' in manifest) throw new RemovedFileError(manifest.mark);
      const { bytes, description } = manifest;
      const whole = { start: 0, end: description.size - 1 };
      return { description, read: (range = whole) => readRange(bucket, bytes, range) };
    },

    /** S3 does not report whether an object existed, so of concurrent calls in this process only the first is true. */
    async remove(id) {
      if (removing.has(id)) return false;
      removing.add(id);
      try {
        return await remove(id);
      } finally {
        removing.delete(id);
      }
    },

    async withdraw(id, mark) {
      const key = placeOf(id);
      if (key === undefined || !(await bucket.get(key))) return false;
      const manifest: WithdrawnManifest = { mark };
      await bucket.put(key, Buffer.from(JSON.stringify(manifest)));
      await removeBytes(id);
      return true;
    },

    async sweep(now) {
      const files = await folders.sweep(now);
      return { files, stagedUploads: (await staging.sweep(now)) + (await resumable.sweep(now)) };
    },

    resumable,
    usage: () => folders.usage(),
    // Processes that store no large file at the moment cannot be seen.
    isShared: async () => true,
    freeBytes: async () => Number.POSITIVE_INFINITY,
    records: openRecords(bucket),

    async close() {
      await Promise.all([...writers].map((writer) => writer.discard()));
      await staging.close();
      bucket.close();
    },
  };
}

function parseManifest(json: string, place: string): Manifest | WithdrawnManifest {
  try {
    return JSON.parse(json);
  } catch {
    throw new DamagedFileError(place);
  }
}
