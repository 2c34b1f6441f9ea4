import assert from 'node:assert/strict';
import { occupiedBytes } from '../../../src/domain/upload.ts';
import { parseS3Url } from '../../../src/uploads/storage/s3/address.ts';
import { openBucket } from '../../../src/uploads/storage/s3/bucket.ts';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { bytesOf, HOUR_MS, sha256, usageOf } from '../../support/uploads.ts';
import { countAnew } from './bucket-job.ts';

/** All files, and all uploads that can be continued, have expired then. */
const LATER_MS = 26 * HOUR_MS;
/** Another process counts as dead when it has shown no sign of life between two sweeps that are so far apart. */
const DEAD_MS = 25_000;

const openStorage = (url: string) => openS3Storage(url, { clock: Date.now, report: () => {} });

/**
 * Checks that every visible file is whole, and that a process that starts now counts exactly these, and those that are being
 * removed. Resolves with the ids of the visible ones.
 */
export async function checkFiles(url: string): Promise<Set<string>> {
  const storage = await openStorage(url);
  const usage = await usageOf(storage);
  const visible = new Set<string>();
  let bytes = 0;
  for (const { id } of usage) {
    const file = await storage.open(id);
    assert(file, `the file ${id} is listed and cannot be opened`);
    visible.add(id);
    assert.equal(sha256(await bytesOf(await file.read())), file.description.sha256, `${id} is not whole`);
    bytes += occupiedBytes(file.description);
  }
  await storage.close();
  assert.deepEqual(await countAnew(url, usage.length), { files: usage.length, bytes }, 'the quota is wrong');
  return visible;
}

/** Checks that sweeps leave nothing once everything has expired and the process that was disturbed is dead. */
export async function checkRemains(url: string): Promise<void> {
  const storage = await openStorage(url);
  const later = Date.now() + LATER_MS;
  for (const at of [0, 1, 2].map((sweeps) => later + sweeps * DEAD_MS)) await storage.sweep(at);
  await storage.close();
  assert.deepEqual(await keysIn(url), [], 'sweeps leave objects or parts');
}

/** The keys of all objects and of all unfinished multipart uploads, without the prefix. */
async function keysIn(url: string): Promise<string[]> {
  const bucket = openBucket(parseS3Url(url), () => {});
  const keys = (await bucket.parts.list('')).map(({ key }) => `${key} (parts)`);
  for await (const key of bucket.list('')) keys.push(key);
  bucket.close();
  return keys;
}
