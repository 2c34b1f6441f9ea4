import type { Bucket } from '../bucket.ts';
import type { ResumableRecord } from './records.ts';

interface RecordPlace {
  bucket: Bucket;
  prefix: string;
  /** Key of the record, with the prefix. */
  key: string;
}

/**
 * Removes all of an upload, and its bytes unless they belong to a file: also what requests left whose answers were lost.
 * The record is last: a sweep starts from it.
 */
export async function removeRecord(
  { bucket, prefix, key }: RecordPlace,
  { bytes, publishedAs }: ResumableRecord,
): Promise<void> {
  const Key = `${prefix}${bytes}`;
  await bucket.parts.abortAll(Key);
  for await (const { objects } of bucket.list(`${key}.`)) await bucket.remove(objects.map((one) => one.key));
  if (publishedAs === undefined) await bucket.remove([Key]);
  await bucket.remove([key]);
}
