import { parseUploadId, type UploadId } from '../../../../domain/upload.ts';
import type { Announcement, ResumableState } from '../../../resumable-storage.ts';
import { placeOf } from '../../expiry-hour.ts';
import type { Bucket } from '../bucket.ts';
import { RESUMABLE } from '../keys.ts';
import { longestChain, type Piece } from './pieces.ts';

/*
 * resumable/2026-08-15T21/<key>          the announcement, written once: the upload exists as long as this does
 * resumable/2026-08-15T21/<key>/<piece>  bytes
 * resumable/2026-08-15T21/<key>/chain    names of the last pieces that were acknowledged, because a listing may lack new
 *                                        objects for a while (Swift); there from the first byte on
 * resumable/2026-08-15T21/<key>/file     the id under which publication began
 */

/** How many names are kept in `chain`: all that a listing may lack. */
const MAX_LISTED_LATE = 100;

export interface StoredUpload {
  state: ResumableState;
  chain: Piece[];
}

/** The key of an upload's announcement in the bucket. */
export function announcementKey(key: UploadId): string {
  return `${RESUMABLE}${placeOf(key)}`;
}

/** Undefined when there is no such upload, or it was begun by a version that kept unfinished uploads in another way. */
export async function readUpload(bucket: Bucket, base: string): Promise<StoredUpload | undefined> {
  const [json, id, listed, acknowledged] = await Promise.all([
    bucket.get(base),
    readPublishedAs(bucket, base),
    listNames(bucket, base),
    readAcknowledged(bucket, base),
  ]);
  const { announced, earlierId } = parseAnnouncement(json);
  const publishedAs = id ?? earlierId;
  if (!announced) return undefined;
  const chain = longestChain([...listed, ...acknowledged]);
  // The pieces of a published upload are removed.
  const offset = publishedAs === undefined ? (chain.at(-1)?.end ?? 0) : announced.length;
  return { state: { announced, offset, publishedAs }, chain };
}

export async function listNames(bucket: Bucket, base: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { objects } of bucket.list(`${base}/`))
    names.push(...objects.map(({ key }) => key.slice(base.length + 1)));
  return names;
}

export async function readPublishedAs(bucket: Bucket, base: string): Promise<UploadId | undefined> {
  return parseUploadId(String((await bucket.get(`${base}/file`)) ?? ''));
}

export async function writePublishedAs(bucket: Bucket, base: string, id: UploadId): Promise<void> {
  await bucket.put(`${base}/file`, Buffer.from(id));
}

/** Empty before the first byte. */
export async function readAcknowledged(bucket: Bucket, base: string): Promise<string[]> {
  return (await bucket.get(`${base}/chain`))?.toString().split('\n') ?? [];
}

export async function writeAcknowledged(
  bucket: Bucket,
  base: string,
  chain: readonly Piece[],
): Promise<void> {
  const names = chain.slice(-MAX_LISTED_LATE).map(({ name }) => name);
  await bucket.put(`${base}/chain`, Buffer.from(names.join('\n')));
}

/** `earlierId`: an earlier version kept the announcement of a complete upload together with the id of its file. */
export function parseAnnouncement(json: Buffer | undefined): {
  announced?: Announcement;
  earlierId?: UploadId | undefined;
} {
  try {
    const content = JSON.parse(json?.toString() ?? '{}');
    if (!('announced' in content)) return 'length' in content ? { announced: content } : {};
    return content.publishedAs === undefined
      ? {}
      : { announced: content.announced, earlierId: parseUploadId(content.publishedAs) };
  } catch {
    return {};
  }
}
