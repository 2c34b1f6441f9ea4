import { expect, onTestFinished, test } from 'vitest';
import { openMemoryLimits } from '../../../src/uploads/limiters/memory.ts';
import { quotaContract } from '../../contracts/quota.ts';
import { A, B, commit, ListedFiles, openLimits, store, type TestQuotaOptions } from '../../support/quota.ts';

const HOUR = 3_600_000;

async function open(more: Partial<TestQuotaOptions> = {}) {
  const limits = await openLimits(openMemoryLimits, { retryMs: 5, ...more });
  onTestFinished(() => limits.close());
  return limits;
}

quotaContract('the quota of a process', open);

test('uploads are received and counted while what is stored is listed', async () => {
  const listed = new ListedFiles();
  listed.add(A, 10, Date.now() + HOUR);
  listed.add(A, 20, Date.now() + HOUR);
  const goOn = Promise.withResolvers<void>();
  listed.onListed = () => goOn.promise;
  const limits = await open({ storage: listed.storage });
  await store(limits.quota, B, 5, Date.now() + HOUR);
  expect(limits.quota.stored()).toEqual({ bytes: 15, files: 2 });
  goOn.resolve();
  await expect.poll(() => limits.quota.stored()).toEqual({ bytes: 35, files: 3 });
});

test('a removed file is remembered for an hour', async () => {
  let elapsedMs = 0;
  const { quota } = await open({ elapsedMs: () => elapsedMs });
  const removed = await store(quota, A, 10, Date.now() + HOUR);
  quota.release(removed.id);
  const count = async () => commit(await quota.reserve(A), removed.id, 10);
  elapsedMs = HOUR - 1;
  quota.expire(0);
  await count();
  expect(quota.stored().files).toBe(0);
  elapsedMs = HOUR;
  quota.expire(0);
  await count();
  expect(quota.stored().files).toBe(1);
});
