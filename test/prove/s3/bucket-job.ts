import { randomBytes } from 'node:crypto';
import type { UploadId } from '../../../src/domain/upload.ts';
import { openMemoryLimits } from '../../../src/uploads/limiters/memory.ts';
import { createSpaceReserver } from '../../../src/uploads/reserve-space.ts';
import { createResumableUploads } from '../../../src/uploads/resumable.ts';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { createUploads } from '../../../src/uploads/uploads.ts';
import { openLimits } from '../../support/quota.ts';
import { eventually } from '../../support/service.ts';
import { HOUR_MS, sha256, streamOf } from '../../support/uploads.ts';

export const MB = 1024 * 1024;
export const SENDER = { owner: '203.0.113.7', address: '203.0.113.7' };
const GB = 1024 * MB;
const LIMITS = { maxBytes: 100 * MB, totalBytes: GB, ownerBytes: GB };

export type BucketJob = Awaited<ReturnType<typeof openBucketJob>>;

/** The uploads of one process on a bucket, without what it does by itself from time to time. */
export async function openBucketJob(url: string) {
  const wired = { report: () => {}, now: Date.now, elapsedMs: () => performance.now() };
  const storage = await openS3Storage(url, { ...wired, clock: Date.now });
  const { quota, close } = await openLimits(openMemoryLimits, { ...LIMITS, ...wired, storage });
  const space = createSpaceReserver({ storage, quota });
  const receiving = { ...LIMITS, ...wired, storage, quota, space, scanner: undefined, receiver: 'prove' };
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

export interface SentFile {
  id: UploadId;
  deleteKey: string;
  sha256: string;
}

/** Uploads a file of random bytes, as POST /upload does. */
export async function sendFile(
  { uploads }: BucketJob,
  size: number,
  lifeMs = 3 * HOUR_MS,
): Promise<SentFile> {
  const bytes = randomBytes(size);
  const receiver = await uploads.receive(SENDER, size);
  try {
    await receiver.stage(streamOf(bytes));
    const claims = { originalname: 'data.bin', encoding: '7bit', mimetype: 'application/octet-stream' };
    const { id, deleteKey } = await receiver.publish(claims, Date.now() + lifeMs);
    return { id, deleteKey, sha256: sha256(bytes) };
  } finally {
    await receiver.close();
  }
}

/** Resolves with what a process that starts now counts, which has to be so many files in the end. */
export async function countAnew(url: string, files: number) {
  const job = await openBucketJob(url);
  try {
    return await eventually(
      async () => job.quota.stored(),
      (stored) => stored.files === files,
    );
  } finally {
    await job.close();
  }
}
