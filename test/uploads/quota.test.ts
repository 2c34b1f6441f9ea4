import { beforeEach, describe, expect, test } from 'vitest';
import type { Quota } from '../../src/uploads/quota.ts';
import { A, B, commit, openQuota } from '../support/quota.ts';
import { newId } from '../support/uploads.ts';

const KB = 1024;
const MB = 1024 * KB;
const MIN_FREE_BYTES = 64 * MB;
const FULL = { code: 'storage-full', message: 'the store is full; try again later' };
const NO_SPACE = { code: 'share-full' };

/** What is free on the disk. */
let free: { bytes: number; files: number };
let readFree: () => Promise<typeof free>;
let quota: Quota;

beforeEach(async () => {
  free = { bytes: Number.POSITIVE_INFINITY, files: Number.POSITIVE_INFINITY };
  readFree = async () => free;
  quota = await openQuota({ totalBytes: 1_000 * MB, ownerBytes: 1_000 * MB, free: () => readFree() });
});

const reserved = () => quota.stored().bytes;
const soon = () => newId(Date.now() + 60_000);

describe('in the quota', () => {
  test('the declared size has to fit, without the envelope', async () => {
    await expect(quota.reserve(A, 1_001 * MB)).rejects.toMatchObject(NO_SPACE);
    await expect(quota.reserve(A, 1_001 * MB, MB - 1)).rejects.toMatchObject(NO_SPACE);
    await quota.reserve(A, 1_001 * MB, MB);
    await quota.reserve(A, KB, 2 * KB);
  });

  test('a quarter of what has arrived is reserved ahead, a megabyte at most, and not beyond what was declared', async () => {
    const upload = await quota.reserve(A, 9 * MB, 64 * KB);
    await upload.grow(1);
    expect(reserved()).toBe(1);
    await upload.grow(400 * KB);
    expect(reserved()).toBe(500 * KB);
    expect(upload.grow(564 * KB), 'as much as is reserved, and an envelope').toBeUndefined();
    await upload.grow(6 * MB);
    expect(reserved()).toBe(7 * MB);
    await upload.grow(8.5 * MB);
    expect(reserved()).toBe(9 * MB);
  });

  test('a small body is reserved whole with its first byte', async () => {
    const upload = await quota.reserve(A, 256 * KB, 64 * KB);
    await upload.grow(1);
    expect(reserved()).toBe(256 * KB);
    const larger = await quota.reserve(B, 256 * KB + 1);
    await larger.grow(1);
    expect(reserved()).toBe(256 * KB + 1);
  });

  test('nothing is stored that does not fit, and nothing counted that is not stored', async () => {
    const upload = await quota.reserve(A);
    await expect(upload.grant(1_001 * MB)).rejects.toMatchObject(NO_SPACE);
    await upload.grant(MB);
    upload.release();
    expect(quota.stored()).toEqual({ files: 0, bytes: 0 });
  });
});

test('after a release with a reason, growing and keeping are refused with that reason', async () => {
  const upload = await quota.reserve(A);
  const reason = new Error('nobody counts');
  upload.release(reason);
  upload.release();
  await expect(upload.grow(1)).rejects.toBe(reason);
  await expect(upload.grant(KB)).rejects.toBe(reason);
});

describe('on the disk', () => {
  test('64 MB stay free of what is declared, and of what others have reserved', async () => {
    free.bytes = MIN_FREE_BYTES + 10 * MB;
    await expect(quota.reserve(A, 10 * MB)).rejects.toMatchObject(FULL);
    const upload = await quota.reserve(A, 10 * MB - 1);
    await upload.grow(8 * MB);
    // 9 MB are reserved; of the 8 MB that have arrived, a megabyte and 64 KB may be in memory.
    const pending = 9 * MB - (8 * MB - (MB + 64 * KB));
    await expect(quota.reserve(B, 10 * MB - pending)).rejects.toMatchObject(FULL);
    await quota.reserve(B, 10 * MB - pending - 1);
    upload.release();
    await quota.reserve(B, 10 * MB - 1);
  });

  test('no bytes are pending once an upload is kept', async () => {
    const upload = await quota.reserve(A, 20 * MB);
    await upload.grow(10 * MB);
    await commit(upload, soon(), KB);
    free.bytes = MIN_FREE_BYTES + 2;
    await quota.reserve(B);
  });

  test('free space is read whenever a reservation grows, and then only', async () => {
    const upload = await quota.reserve(A, 3 * MB);
    await upload.grow(800 * KB);
    free.bytes = 0;
    expect(upload.grow(MB - 24 * KB)).toBeUndefined();
    await expect(upload.grow(MB)).rejects.toMatchObject(FULL);
  });

  test('a file that needs more than is free is not published', async () => {
    const upload = await quota.reserve(A, KB);
    free.bytes = MIN_FREE_BYTES;
    await expect(upload.grant(4 * KB)).rejects.toMatchObject(FULL);
  });

  test('64 files and folders stay free of the four that each request may create', async () => {
    free.files = 64 + 2 * 4;
    const upload = await quota.reserve(A, KB);
    await expect(quota.reserve(B).then((other) => other.grow(1))).rejects.toMatchObject(FULL);
    upload.release();
  });

  test('free space that cannot be read refuses the upload', async () => {
    const error = new Error('no disk');
    readFree = () => Promise.reject(error);
    await expect(quota.reserve(A)).rejects.toBe(error);
  });
});

test('what can never be stored is known when it is announced', async () => {
  await quota.requirePossible(A, 1_000 * MB);
  await expect(quota.requirePossible(A, 1_000 * MB + 1)).rejects.toMatchObject(NO_SPACE);
  free.bytes = MIN_FREE_BYTES + MB;
  await quota.requirePossible(A, MB - 1);
  await expect(quota.requirePossible(A, MB)).rejects.toMatchObject(FULL);
});
