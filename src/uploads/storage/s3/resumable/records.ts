import type { Announcement, ResumableState } from '../../../resumable-storage.ts';
import type { Bucket } from '../bucket.ts';
import { type MultipartUpload, PART_BYTES, type Part } from '../multipart.ts';

/** The stored progress of a resumable upload: one object, which each step replaces. */
export interface ResumableRecord {
  announced: Announcement;
  /** Key of the bytes. Until the upload is complete it is that of a multipart upload. */
  bytes: string;
  /** The multipart upload; undefined while there is less than a part. */
  uploadId: string | undefined;
  parts: Part[];
  /** An object with the bytes that do not make a whole part yet. */
  tail: { key: string; size: number } | undefined;
  publishedAs: string | undefined;
  /** Who wrote this record, so that no two writers write the same one; absent in a new record. */
  writer?: string;
}

/** A record with the version that the next one has to replace. */
export interface StoredRecord {
  record: ResumableRecord;
  version: string;
}

export function newRecord(key: string, announced: Announcement): ResumableRecord {
  const bytes = `bytes/resumable-${key}`;
  return { announced, bytes, uploadId: undefined, parts: [], tail: undefined, publishedAs: undefined };
}

/** Undefined when there is no record, or a damaged one. */
export async function readRecord(bucket: Bucket, key: string): Promise<StoredRecord | undefined> {
  const stored = await bucket.getVersion(key);
  if (!stored) return undefined;
  try {
    return { record: JSON.parse(stored.bytes.toString()), version: stored.version };
  } catch {
    return undefined;
  }
}

export function stateOf({ announced, parts, tail, publishedAs }: ResumableRecord): ResumableState {
  return { announced, offset: parts.length * PART_BYTES + (tail?.size ?? 0), publishedAs };
}

/**
 * Removes all of an upload, and its bytes unless they belong to a file: also what requests left whose answers were lost.
 * The record is last: a sweep starts from it.
 */
export async function removeRecord(
  bucket: Bucket,
  key: string,
  { bytes, publishedAs }: ResumableRecord,
): Promise<void> {
  await bucket.parts.abortAll(bytes);
  for await (const { objects } of bucket.list(`${key}.`)) await bucket.remove(objects.map((one) => one.key));
  if (publishedAs === undefined) await bucket.remove([bytes]);
  await bucket.remove([key]);
}

/** Another process may have continued with an upload whose record it found before the writer of that got its answer. */
export async function abortUnlessNamed(bucket: Bucket, key: string, upload: MultipartUpload): Promise<void> {
  const stored = await readRecord(bucket, key);
  if (stored?.record.uploadId !== upload.uploadId) await bucket.parts.abort(upload);
}
