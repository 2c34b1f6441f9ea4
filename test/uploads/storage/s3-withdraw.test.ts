import { randomBytes } from 'node:crypto';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { openTestS3, refuse, type TestS3, useS3Key } from '../../support/s3.ts';
import { untilEnd } from '../../support/until-end.ts';
import { HOUR_MS, keep } from '../../support/uploads.ts';

const MB = 1024 * 1024;
const MARK = { reason: 'legal', removedAt: 1_700_000_000_000, sha256: 'ab'.repeat(32) } as const;

let s3: TestS3;

beforeAll(async () => {
  useS3Key();
  s3 = await openTestS3(untilEnd());
});

async function open() {
  const url = s3.url('withdraw');
  const storage = await openS3Storage(url, { clock: Date.now, report: () => {} });
  onTestFinished(() => storage.close());
  return storage;
}

const keys = () => s3.keys('withdraw/');

test('a withdrawal leaves one object of the file, the mark, and a sweep after its expiry none', async () => {
  const storage = await open();
  const expiresAt = Date.now() + HOUR_MS;
  const id = await keep(storage, randomBytes(6 * MB), expiresAt);
  expect(keys()).toHaveLength(3);
  await storage.withdraw(id, MARK);
  expect(keys()).toEqual([expect.stringMatching(new RegExp(`/${id}$`, 'u'))]);
  expect(String(s3.memory.objects.get(keys()[0]!)?.bytes)).not.toContain('203.0.113.7');
  await storage.sweep(expiresAt);
  expect(keys()).toEqual([]);
});

test('a withdrawal that is cut off after its first step is finished by another, or by the sweep', async () => {
  const storage = await open();
  const expiresAt = Date.now() + HOUR_MS;
  const ids = [
    await keep(storage, randomBytes(10), expiresAt),
    await keep(storage, randomBytes(10), expiresAt),
  ];
  s3.fault = (ctx) => (ctx.method === 'DELETE' ? refuse(ctx, 403, 'AccessDenied') : false);
  for (const id of ids) {
    await expect(storage.withdraw(id, MARK)).rejects.toMatchObject({ code: 'storage-down' });
    await expect(storage.open(id)).rejects.toMatchObject({ code: 'removed-legally' });
  }
  s3.fault = undefined;
  expect(keys()).toHaveLength(6);
  await storage.withdraw(ids[0]!, MARK);
  expect(keys()).toHaveLength(4);
  await storage.sweep(expiresAt);
  expect(keys()).toEqual([]);
});
