import { expiryOf } from '../../domain/upload.ts';
import { hourOf, isHour } from './hour.ts';
import type { Bucket } from './s3-bucket.ts';

/*
 * 2026-08-15T21/mk3…        what expires in that hour (UTC): a description under its id, written last
 * 2026-08-15T21/zz-bytes-…  the bytes of these; of a large one in the hour by which it expires at the latest, for it
 *                           is on its way before anybody knows its id. They sort behind the ids.
 */

/** Where the description of a file lies. Undefined for anything that is not an id. */
export function descriptionKey(id: string): string | undefined {
  const expiry = expiryOf(id);
  return expiry === undefined ? undefined : `${hourOf(expiry)}/${id}`;
}

export function bytesKey(hour: string, name: string): string {
  return `${hour}/zz-bytes-${name}`;
}

/** The ids of all files, some at a time. */
export async function* idsIn(bucket: Bucket): AsyncGenerator<string[]> {
  for (const hour of await hoursOf(bucket)) {
    for await (const keys of bucket.keys(`${hour}/`))
      yield keys.map(nameOf).filter((name) => expiryOf(name) !== undefined);
  }
}

/** Resolves with how many files had expired. */
export async function sweepHours(bucket: Bucket, now: number): Promise<number> {
  const current = hourOf(now);
  let removed = 0;
  for (const hour of await hoursOf(bucket)) {
    if (hour > current) continue;
    removed += await removeExpired(bucket, hour, now);
    if (hour < current) await removeHour(bucket, hour);
  }
  return removed;
}

async function hoursOf(bucket: Bucket): Promise<string[]> {
  return (await bucket.folders()).filter(isHour);
}

/** The names tell what has expired, those first that did first: the others are not looked at. */
async function removeExpired(bucket: Bucket, hour: string, now: number): Promise<number> {
  let removed = 0;
  for await (const keys of bucket.keys(`${hour}/`)) {
    const expired = keys.filter((key) => isOver(nameOf(key), now));
    await bucket.remove(expired);
    removed += expired.length;
    if (expired.length < keys.length) break;
  }
  return removed;
}

async function removeHour(bucket: Bucket, hour: string): Promise<void> {
  for await (const keys of bucket.keys(`${hour}/`)) await bucket.remove(keys);
}

function isOver(name: string, now: number): boolean {
  return (expiryOf(name) ?? Number.POSITIVE_INFINITY) <= now;
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
