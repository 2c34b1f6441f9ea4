import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { refuse } from '../../support/s3.ts';
import { useFakeBucket } from '../../support/s3-storage.ts';
import { HOUR_MS, keep, usageOf } from '../../support/uploads.ts';

const MB = 1024 * 1024;
const MARK = { reason: 'legal', removedAt: 1_700_000_000_000, sha256: 'ab'.repeat(32) } as const;

const bucket = useFakeBucket();
const { open, keys } = bucket;

test('a withdrawal leaves one object of the file, the mark, and a sweep after its expiry none', async () => {
  const storage = await open();
  const expiresAt = Date.now() + HOUR_MS;
  const id = await keep(storage, randomBytes(6 * MB), expiresAt);
  expect(keys()).toHaveLength(3);
  await storage.remove(id, MARK);
  expect(keys()).toEqual([expect.stringMatching(new RegExp(`/${id}$`, 'u'))]);
  expect(String(bucket.s3.memory.objects.get(bucket.s3.keys()[0]!)?.bytes)).not.toContain('203.0.113.7');
  await storage.sweep(expiresAt);
  expect(keys()).toEqual([]);
});

/** Refuses deletions from the one with this number on. */
function failFrom(first: number): void {
  let deletions = 0;
  bucket.s3.fault = (ctx) => {
    deletions += Number(ctx.method === 'DELETE');
    return ctx.method === 'DELETE' && deletions >= first ? refuse(ctx, 403, 'AccessDenied') : false;
  };
}

test('what a withdrawal cannot remove is removed by another one, or by the next sweep', async () => {
  const storage = await open();
  const expiresAt = Date.now() + HOUR_MS;
  const ids = [
    await keep(storage, randomBytes(10), expiresAt),
    await keep(storage, randomBytes(10), expiresAt),
  ];
  failFrom(1);
  for (const id of ids) {
    expect(await storage.remove(id, { ...MARK, reason: 'operator' })).toBe(true);
    await expect(storage.open(id)).rejects.toMatchObject({ code: 'removed' });
  }
  bucket.s3.fault = undefined;
  // The notes of both removals count too.
  expect(keys()).toHaveLength(8);
  await storage.remove(ids[0]!, MARK);
  expect(keys()).toHaveLength(5);
  expect((await storage.sweep(Date.now())).removed).toEqual([ids[1]]);
  expect(keys()).toHaveLength(2);
  await expect(storage.open(ids[0]!)).rejects.toMatchObject({ code: 'removed-legally' });
  expect(await usageOf(storage)).toEqual([]);
  await storage.sweep(expiresAt);
  expect(keys()).toEqual([]);
});

describe('a removal', () => {
  test('whose first step fails can be repeated', async () => {
    const storage = await open();
    const id = await keep(storage, randomBytes(10), Date.now() + HOUR_MS);
    failFrom(1);
    await expect(storage.remove(id)).rejects.toMatchObject({ code: 'storage-down' });
    bucket.s3.fault = undefined;
    expect((await usageOf(storage)).map((usage) => usage.id)).toEqual([id]);
    expect(await storage.remove(id)).toBe(true);
    expect(keys()).toEqual([]);
    expect(await storage.remove(id)).toBe(false);
  });

  test.each([2, 3, 4])('is done although its step %i fails, and counts no more', async (step) => {
    const storage = await open();
    const id = await keep(storage, randomBytes(10), Date.now() + HOUR_MS);
    failFrom(step);
    expect(await storage.remove(id)).toBe(true);
    expect(await storage.open(id)).toBeUndefined();
    expect(await usageOf(storage)).toEqual([]);
  });

  test.each([1, 2, 3, 4])('whose step %i fails is finished by the sweep of another process', async (step) => {
    const id = await keep(await open(), randomBytes(10), Date.now() + HOUR_MS);
    failFrom(step);
    await (await open()).remove(id).catch(() => {});
    bucket.s3.fault = undefined;
    expect((await (await open()).sweep(Date.now())).removed).toEqual([id]);
    expect(keys()).toEqual([]);
  });
});

test('what a publication leaves that failed while S3 was away is removed by the next sweep', async () => {
  const storage = await open();
  let writes = 0;
  bucket.s3.fault = (ctx) => {
    writes += Number(ctx.method === 'PUT');
    return writes > 2 ? refuse(ctx, 403, 'AccessDenied') : false;
  };
  await expect(keep(storage, randomBytes(10), Date.now() + HOUR_MS)).rejects.toMatchObject({
    code: 'storage-down',
  });
  bucket.s3.fault = undefined;
  expect(keys()).toHaveLength(2);
  await storage.sweep(Date.now());
  expect(keys()).toEqual([]);
});
