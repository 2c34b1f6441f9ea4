import { expiryOf, isExpired } from '../../../domain/upload.ts';
import { placeOf } from '../expiry-hour.ts';
import { createHourSweeper, type SweepableResumableStorage, type SweptUpload } from '../sweep-hours.ts';
import { hoursIn } from './expiry-folders.ts';
import { RESUMABLE } from './keys.ts';
import { beyondParts, MAX_PARTS, PART_BYTES } from './multipart.ts';
import { LockedRecord, type LockedRecordOptions } from './resumable/locked-record.ts';
import { newRecord, type ResumableRecord, readRecord, removeRecord, stateOf } from './resumable/records.ts';

interface ResumableRecordsOptions extends Pick<LockedRecordOptions, 'bucket' | 'publish' | 'clock'> {
  /** Whether a file has been published under an id. */
  isPublished: (id: string) => Promise<boolean>;
}

/**
 * Resumable uploads in S3. A step replaces the record only if nobody else has replaced it, so that two processes cannot
 * both continue at the same offset: the second one gets AppError `locked`.
 */
export function openResumableRecords(options: ResumableRecordsOptions): SweepableResumableStorage {
  const { bucket, isPublished } = options;

  /** The key of an upload's record in the bucket. Undefined for a malformed key of an upload. */
  function keyOf(key: string): string | undefined {
    const place = placeOf(key);
    return place && `${RESUMABLE}${place}`;
  }

  /** Yields `<key>` for the record of an upload, and then `<key>.<…>` for each of its other objects. */
  async function* namesIn(hour: string): AsyncGenerator<string, void> {
    for await (const { objects } of bucket.list(`${RESUMABLE}${hour}/`))
      yield* objects.map(({ key }) => key.slice(key.lastIndexOf('/') + 1));
  }

  /** Whether an upload has become a file. Its bytes then belong to the file. */
  async function isComplete({ publishedAs }: ResumableRecord, now: number): Promise<boolean> {
    if (publishedAs === undefined) return false;
    return isExpired(publishedAs, now) || isPublished(publishedAs);
  }

  /** Removes an upload whose time is over. A complete one stays until its file expires. */
  async function sweepRecord(name: string, now: number): Promise<SweptUpload> {
    const expiresAt = expiryOf(name) ?? 0;
    if (expiresAt > now) return { keptUntil: expiresAt };
    const key = keyOf(name) ?? '';
    const stored = await readRecord(bucket, key);
    if (!stored) {
      await bucket.remove([key]);
      return { isRemoved: true };
    }
    const { record } = stored;
    const publishedAs = (await isComplete(record, now)) ? record.publishedAs : undefined;
    const fileExpiresAt = expiryOf(publishedAs ?? '') ?? 0;
    if (fileExpiresAt > now) return { keptUntil: fileExpiresAt };
    await removeRecord(bucket, key, { ...record, publishedAs });
    return { isRemoved: publishedAs === undefined };
  }

  async function* sweepHour(hour: string, now: number): AsyncGenerator<SweptUpload, void> {
    let latest: string | undefined;
    for await (const name of namesIn(hour)) {
      const [key = ''] = name.split('.');
      if (name !== key) {
        // A request that arrived late, after its record was removed, can leave such an object.
        if (key !== latest && (expiryOf(key) ?? now) < now)
          await bucket.remove([`${RESUMABLE}${hour}/${name}`]);
      } else if (expiryOf(key) !== undefined) {
        latest = key;
        yield sweepRecord(key, now);
      }
    }
  }

  return {
    async create(key, announced) {
      const record = keyOf(key);
      if (!record) throw new Error(`Not the key of a resumable upload: ${key}`);
      if (announced.length > MAX_PARTS * PART_BYTES) throw beyondParts();
      await bucket.put(record, Buffer.from(JSON.stringify(newRecord(key, announced))));
    },

    async find(key) {
      const record = keyOf(key);
      const stored = record && (await readRecord(bucket, record));
      return stored ? stateOf(stored.record) : undefined;
    },

    async lock(key) {
      const record = keyOf(key);
      const stored = record && (await readRecord(bucket, record));
      return stored ? new LockedRecord({ ...options, key: record, stored }) : undefined;
    },

    async *usage() {
      for await (const hour of hoursIn(bucket, RESUMABLE)) {
        for await (const name of namesIn(hour)) {
          const key = keyOf(name);
          const stored = key && (await readRecord(bucket, key));
          if (!stored || stored.record.publishedAs !== undefined) continue;
          const { announced, offset } = stateOf(stored.record);
          if (offset === 0) continue;
          yield { id: name, owner: announced.owner, size: offset, uploadedAt: announced.createdAt };
        }
      }
    },

    sweep: createHourSweeper(() => hoursIn(bucket, RESUMABLE), sweepHour),
  };
}
