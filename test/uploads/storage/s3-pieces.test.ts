import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { beforeEach, describe, expect, test } from 'vitest';
import type { UploadId } from '../../../src/domain/upload-id.ts';
import type { Storage } from '../../../src/uploads/storage.ts';
import { announce } from '../../contracts/resumable-storage.ts';
import { refuse } from '../../support/s3.ts';
import { useFakeBucket } from '../../support/s3-storage.ts';
import { bytesOf, describeUpload, HOUR_MS, newId, sha256 } from '../../support/uploads.ts';

const MB = 1024 * 1024;
const SWEEP_MS = 25_000;
const bucket = useFakeBucket();
let storage: Storage;
let now: number;

beforeEach(async () => {
  now = Date.now();
  storage = await open();
});

const { open } = bucket;

async function create(length: number): Promise<UploadId> {
  const key = newId(now + HOUR_MS);
  await storage.resumable.create(key, { ...announce(length), createdAt: now });
  return key;
}

async function append(key: UploadId, bytes: Buffer, { resumable } = storage): Promise<number> {
  const locked = (await resumable.lock(key))!;
  try {
    await locked.append(bytes);
    return await locked.commit();
  } finally {
    await locked.release();
  }
}

async function publish(key: UploadId): Promise<UploadId> {
  const staged = await (await storage.resumable.lock(key))!.stage();
  const id = newId(now + HOUR_MS);
  await staged.publish(id, describeUpload(staged));
  return id;
}

const offsetOf = async (key: UploadId) => (await (await open()).resumable.find(key))?.offset;
const isDeletion = ({ method }: Context) => method === 'DELETE';
const failDeletions = () => {
  bucket.s3.fault = (ctx) => (isDeletion(ctx) ? refuse(ctx, 403, 'AccessDenied') : false);
};
const piecesIn = () => bucket.s3.keys().filter((key) => /\/\d{15}-\d{15}-/u.test(key));

describe('where listings lack what is new', () => {
  /** As Swift answers when its listings are updated later: they lack the objects that are there by then. */
  function hideFromListings(): void {
    const shown = new Map(bucket.s3.memory.objects);
    bucket.s3.fault = async (ctx) => {
      if (ctx.query['list-type'] === undefined) return false;
      const all = new Map(bucket.s3.memory.objects);
      for (const key of all.keys()) if (!shown.has(key)) bucket.s3.memory.objects.delete(key);
      ctx.res.on('finish', () => {
        for (const [key, object] of all) bucket.s3.memory.objects.set(key, object);
      });
      return false;
    };
  }

  test('every process has the acknowledged offset, and a sweep keeps the bytes', async () => {
    const bytes = randomBytes(12 * MB);
    const key = await create(bytes.length);
    await append(key, bytes.subarray(0, 10));
    hideFromListings();
    expect(await append(key, bytes.subarray(10, 11 * MB))).toBe(11 * MB);
    expect(await offsetOf(key)).toBe(11 * MB);
    await storage.sweep(now);
    await storage.sweep(now + SWEEP_MS);
    expect(await append(key, bytes.subarray(11 * MB), await open())).toBe(12 * MB);
    expect((await (await storage.resumable.lock(key))!.stage()).sha256).toBe(sha256(bytes));
  });

  test('an upload is not forgotten whose first bytes came late', async () => {
    const key = await create(10);
    hideFromListings();
    await append(key, randomBytes(5));
    await storage.sweep(now + 12 * 60_000);
    expect(await offsetOf(key)).toBe(5);
  });

  test('a complete upload is complete', async () => {
    const key = await create(10);
    hideFromListings();
    await append(key, randomBytes(10));
    const id = await publish(key);
    expect(await (await open()).resumable.find(key)).toMatchObject({ offset: 10, publishedAs: id });
  });
});

test('the offset does not go back when a request arrives late that was written before', async () => {
  const bytes = randomBytes(20);
  const key = await create(bytes.length);
  await append(key, bytes.subarray(0, 10));
  const chain = bucket.s3.keys().find((name) => name.endsWith('/chain'))!;
  const older = bucket.s3.memory.objects.get(chain)!;
  await append(key, bytes.subarray(10));
  bucket.s3.memory.objects.set(chain, older);
  expect(await offsetOf(key)).toBe(20);
  expect((await (await storage.resumable.lock(key))!.stage()).sha256).toBe(sha256(bytes));
});

test('an upload goes on although its pieces got no answer', async () => {
  const bytes = randomBytes(6 * MB);
  const key = await create(bytes.length);
  bucket.s3.fault = (ctx) => {
    if (ctx.method === 'PUT') ctx.res.writeHead = () => ctx.res.destroy();
    return false;
  };
  await expect(append(key, bytes)).rejects.toMatchObject({ code: 'storage-down' });
  bucket.s3.fault = undefined;
  const offset = (await offsetOf(key))!;
  expect(await append(key, bytes.subarray(offset))).toBe(bytes.length);
  expect((await (await storage.resumable.lock(key))!.stage()).sha256).toBe(sha256(bytes));
});

test('a process that dies while it writes keeps others waiting for two heartbeats, and one that lives as long as it writes', async () => {
  const key = await create(10);
  const locked = (await storage.resumable.lock(key))!;
  const { resumable } = await open();
  const isHeld = (elapsedMs: number) => resumable.isHeld(key, elapsedMs);
  expect([await isHeld(0), await isHeld(9_999), await isHeld(10_000)]).toEqual([true, true, false]);
  const heartbeat = bucket.s3.keys().find((name) => name.includes('/alive/'))!;
  const object = bucket.s3.memory.objects.get(heartbeat)!;
  bucket.s3.memory.objects.set(heartbeat, { ...object, bytes: randomBytes(8) });
  expect([await isHeld(20_000), await isHeld(29_999), await isHeld(30_000)]).toEqual([true, true, false]);
  await locked.release();
});

describe('what a removal leaves', () => {
  test('is removed although it arrives later', async () => {
    const key = await create(10);
    await append(key, randomBytes(5));
    const [late = ''] = piecesIn();
    const object = bucket.s3.memory.objects.get(late)!;
    const locked = (await storage.resumable.lock(key))!;
    await locked.remove();
    await locked.release();
    bucket.s3.memory.objects.set(late, object);
    await storage.sweep(now);
    expect(bucket.keys()).toEqual([]);
  });

  test('of the pieces of a file that was published is removed by the next sweep, here and elsewhere', async () => {
    for (const sweeping of [storage, await open()]) {
      const key = await create(6 * MB);
      await append(key, randomBytes(6 * MB));
      failDeletions();
      const id = await publish(key);
      expect(piecesIn()).not.toEqual([]);
      bucket.s3.fault = undefined;
      await sweeping.sweep(now);
      expect(piecesIn()).toEqual([]);
      expect(await storage.open(id)).toBeDefined();
    }
  });
});

describe('bytes with a wrong checksum', () => {
  async function sendWrong(key: UploadId): Promise<void> {
    const locked = (await storage.resumable.lock(key))!;
    await locked.startUnverified();
    await locked.append(randomBytes(11 * MB));
    failDeletions();
    await locked.rollback();
    await locked.release();
    bucket.s3.fault = undefined;
  }

  test('that cannot be removed are removed by the next sweep', async () => {
    const key = await create(20 * MB);
    await append(key, randomBytes(10));
    await sendWrong(key);
    expect(piecesIn()).toHaveLength(3);
    await storage.sweep(now);
    expect(piecesIn()).toHaveLength(1);
    expect(await offsetOf(key)).toBe(10);
  });

  test('whose process died are removed by another within two minutes, and not while it lives', async () => {
    const key = await create(20 * MB);
    const locked = (await storage.resumable.lock(key))!;
    await locked.startUnverified();
    await locked.append(randomBytes(11 * MB));
    await expect.poll(() => piecesIn().length).toBe(2);
    const other = await open();
    await other.sweep(now);
    await other.sweep(now + 15_000);
    expect(piecesIn()).toHaveLength(2);
    for (let at = now + SWEEP_MS; at < now + 120_000; at += SWEEP_MS) await other.sweep(at);
    expect(piecesIn()).toEqual([]);
    await locked.release();
  });
});

test('the parts of a complete upload are copied inside S3, but where a request ended within one', async () => {
  const bytes = randomBytes(22 * MB);
  const key = await create(bytes.length);
  for (const [start, end] of [
    [0, 7],
    [7, 7.5],
    [7.5, 22],
  ] as const)
    await append(key, bytes.subarray(start * MB, end * MB));
  const parts: string[] = [];
  bucket.s3.fault = (ctx) => {
    const isCopied = ctx.get('x-amz-copy-source') !== '';
    if (ctx.query.partNumber) parts.push(`${ctx.query.partNumber}${isCopied ? ' copied' : ''}`);
    return false;
  };
  const file = (await storage.open(await publish(key)))!;
  expect(sha256(await bytesOf(await file.read()))).toBe(sha256(bytes));
  expect(parts.sort()).toEqual(['1 copied', '2', '3 copied', '4 copied', '5 copied']);
  expect(piecesIn()).toEqual([]);
});

test('a server that cannot copy parts is sent them', async () => {
  const bytes = randomBytes(6 * MB);
  const key = await create(bytes.length);
  await append(key, bytes);
  bucket.s3.fault = (ctx) => (ctx.get('x-amz-copy-source') ? refuse(ctx, 501, 'NotImplemented') : false);
  const file = (await storage.open(await publish(key)))!;
  expect(sha256(await bytesOf(await file.read()))).toBe(sha256(bytes));
});
