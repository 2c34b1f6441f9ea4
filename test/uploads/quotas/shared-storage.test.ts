import { randomBytes, randomInt } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openProcessQuota } from '../../../src/uploads/quotas/process.ts';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { createUploads, type Uploads } from '../../../src/uploads/uploads.ts';
import { quotaOptions } from '../../support/quota.ts';
import { openTestS3, S3_KEY } from '../../support/s3.ts';
import { KB } from '../../support/upload-client.ts';
import { streamOf, usageOf } from '../../support/uploads.ts';

const CLAIMS = { originalname: 'a.bin', encoding: '7bit', mimetype: 'application/octet-stream' };
const QUOTA = 300 * KB;
const MAX_FILE = 20 * KB;
const PROCESSES = 4;

/** Stores files until one is refused, or 429 would be the answer. */
async function fill(uploads: Uploads, sender: string): Promise<void> {
  for (let files = 0; files < 40; files += 1) {
    const bytes = randomBytes(randomInt(1, MAX_FILE - 4 * KB));
    const upload = await uploads
      .receive({ owner: sender, address: sender }, bytes.length)
      .catch(() => undefined);
    if (!upload) return;
    try {
      await upload.stage(streamOf(bytes));
      await upload.publish(CLAIMS, Date.now() + 3_600_000);
    } catch (error) {
      expect(error).toMatchObject({ code: 'storage-full' });
      return;
    } finally {
      await upload.close();
    }
  }
}

test('processes on one S3 without Redis exceed the quota by one file each at most', async () => {
  Object.assign(process.env, S3_KEY);
  const s3 = await openTestS3(onTestFinished);
  const url = s3.url();
  const open = async () => {
    const storage = await openS3Storage(url, { clock: Date.now, report: () => {} });
    const quota = await openProcessQuota(quotaOptions({ storage, totalBytes: QUOTA, ownerBytes: QUOTA }));
    onTestFinished(async () => {
      await quota.close();
      await storage.close();
    });
    const limits = { maxBytes: MAX_FILE, now: Date.now, report: () => {} };
    return { storage, uploads: createUploads({ storage, quota, ...limits }) };
  };
  const opened = await Promise.all(Array.from({ length: PROCESSES }, open));
  const senders = opened.flatMap(({ uploads }) =>
    Array.from({ length: 5 }, (_, index) => fill(uploads, `${index}`)),
  );
  await Promise.all(senders);
  const stored = (await usageOf(opened[0]!.storage)).reduce((sum, { size }) => sum + size, 0);
  expect(stored).toBeLessThanOrEqual(QUOTA + PROCESSES * MAX_FILE);
  expect(stored).toBeGreaterThan(QUOTA - 2 * MAX_FILE);
});
