import assert from 'node:assert/strict';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { occupiedBytes } from '../../../src/domain/disk-usage.ts';
import { driverFor } from '../../../src/domain/setting-url.ts';
import { openMemoryLimits } from '../../../src/uploads/limiters/memory.ts';
import { createResumableUploads } from '../../../src/uploads/resumable/resumable-uploads.ts';
import { createFolder } from '../../../src/uploads/storage/disk/files.ts';
import { STORAGE_DRIVERS } from '../../../src/uploads/storage/drivers.ts';
import { parseS3Url } from '../../../src/uploads/storage/s3/address.ts';
import { openBucket } from '../../../src/uploads/storage/s3/bucket.ts';
import { createUploads } from '../../../src/uploads/uploads.ts';
import { filesIn } from '../../support/files.ts';
import { openLimits } from '../../support/quota.ts';
import { eventually } from '../../support/service.ts';
import { bytesOf, HOUR_MS, sha256, usageOf } from '../../support/uploads.ts';
import type { Operation, Outcome, Place, Prepared } from './operation.ts';

export const MB = 1024 * 1024;
export const SENDER = { owner: '203.0.113.7', address: '203.0.113.7' };
const GB = 1024 * MB;
const LIMITS = { maxBytes: 100 * MB, totalBytes: GB, ownerBytes: GB };
/** Another process counts as dead when it has shown no sign of life between two sweeps that are so far apart. */
const DEAD_MS = 25_000;
/** All files, and all uploads that can be continued, have expired then. */
const ALL_EXPIRED_MS = 48 * HOUR_MS;

export const isBucket = ({ storage }: Place) => storage.startsWith('s3:');

const openStorage = ({ storage: url }: Place) => driverFor(url, STORAGE_DRIVERS)(url);

export type Job = Awaited<ReturnType<typeof openJob>>;

/** The uploads of one process, without what it does by itself from time to time. */
export async function openJob(place: Place) {
  if (!isBucket(place)) await createFolder(path.resolve(place.storage.slice('file:'.length)), 0o700);
  const storage = await openStorage(place);
  const wired = { report: () => {}, now: Date.now, steadyNow: Date.now, elapsedMs: () => performance.now() };
  const { quota, close } = await openLimits(openMemoryLimits, { ...LIMITS, ...wired, storage });
  const receiving = { ...LIMITS, ...wired, storage, quota, scanner: undefined };
  return {
    storage,
    quota,
    uploads: createUploads(receiving),
    resumable: createResumableUploads({ ...receiving, resumeTtlMs: HOUR_MS }),
    async close() {
      await close();
      await storage.close();
    },
  };
}

interface UploadOperation<Before> {
  prepare(job: Job, place: Place): Promise<Omit<Prepared, 'end' | 'before'> & { before: Before }>;
  /** `visible`: the ids of all files. `outcome.before` has been through JSON. */
  check(job: Job, outcome: Outcome & { before: Before }, visible: Set<string>): Promise<void>;
}

/** An operation on uploads: whatever disturbs it, every visible file is whole, and in the end nothing stays. */
export function onUploads<Before>({ prepare, check }: UploadOperation<Before>): Operation {
  return {
    async prepare(place) {
      const job = await openJob(place);
      const end = async () => {
        await job.storage.sweep(Date.now());
        await job.close();
      };
      return { ...(await prepare(job, place)), end };
    },
    async check(place, outcome, endDisturbed) {
      const visible = await checkFiles(place);
      const job = await openJob(place);
      await check(job, outcome as Outcome & { before: Before }, visible);
      await endDisturbed?.();
      await checkFiles(place);
      await job.close();
      await checkNothingStays(place);
    },
  };
}

/**
 * Checks that every visible file is whole, that a sweep of a folder leaves nothing else, and that a process that starts
 * now counts exactly these, and the resumable uploads that are not complete. Resolves with the ids of the visible ones.
 */
async function checkFiles(place: Place): Promise<Set<string>> {
  const storage = await openStorage(place);
  const visible = new Set<string>();
  const expected = { files: 0, bytes: 0 };
  const count = (bytes: number) => {
    expected.files += 1;
    expected.bytes += bytes;
  };
  for (const { id } of await usageOf(storage)) {
    const file = await storage.open(id);
    assert(file, `the file ${id} is listed and cannot be opened`);
    visible.add(id);
    assert.equal(sha256(await bytesOf(await file.read())), file.description.sha256, `${id} is not whole`);
    count(occupiedBytes(file.description));
  }
  for await (const { size } of storage.resumable.usage()) count(size);
  // In a bucket, the process that was disturbed still lives.
  if (!isBucket(place)) {
    await storage.sweep(Date.now() + 2 * DEAD_MS);
    const left = (await contentsOf(place)).filter((name) => !name.startsWith('resumable/'));
    assert.equal(left.length, visible.size, 'a sweep left what is no file');
  }
  await storage.close();
  await checkQuota(place, expected);
  return visible;
}

async function checkQuota(place: Place, expected: { files: number; bytes: number }): Promise<void> {
  const { quota, close } = await openJob(place);
  await eventually(
    async () => quota.stored(),
    (stored) => isDeepStrictEqual(stored, expected),
  ).catch(() => assert.deepEqual(quota.stored(), expected, 'the quota counts something else'));
  await close();
}

/** Checks that sweeps leave nothing once everything has expired and the process that was disturbed is dead. */
async function checkNothingStays(place: Place): Promise<void> {
  const storage = await openStorage(place);
  const later = Date.now() + ALL_EXPIRED_MS;
  for (const sweeps of [0, 1, 2]) await storage.sweep(later + sweeps * DEAD_MS);
  await storage.close();
  assert.deepEqual(await contentsOf(place), [], 'sweeps leave something');
}

/** The files of a folder; the keys of all objects of a bucket, and of all unfinished multipart uploads. */
async function contentsOf(place: Place): Promise<string[]> {
  if (!isBucket(place)) {
    const folder = place.storage.slice('file:'.length);
    return (await filesIn(folder)).map((file) => path.relative(folder, file));
  }
  const bucket = openBucket(parseS3Url(place.storage));
  const keys = (await bucket.listUploads('')).map(({ key }) => `${key} (parts)`);
  for await (const key of bucket.list('')) keys.push(key);
  bucket.close();
  return keys;
}
