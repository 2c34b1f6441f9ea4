import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { storageContract } from '../../contracts/storage.ts';
import { openTestS3, type TestS3 } from '../../support/s3.ts';
import {
  bytesOf,
  describeDraft,
  HOUR_MS,
  keep,
  newId,
  sha256,
  streamOf,
  unfinishedStream,
} from '../../support/uploads.ts';

const MB = 1024 ** 2;
const DAY_MS = 24 * HOUR_MS;
let s3: TestS3;

beforeAll(async () => {
  s3 = await openTestS3(afterAll);
});

storageContract('S3', async (clock) => openS3Storage(s3.url(), clock));

describe('S3', () => {
  function open(url = s3.url()) {
    const storage = openS3Storage(url, Date.now);
    onTestFinished(() => storage.close());
    return storage;
  }
  const soon = () => Date.now() + HOUR_MS;

  test('keeps an upload below the hour in which it expires, the description last', async () => {
    const storage = open();
    const expiresAt = soon();
    s3.requests.length = 0;
    const id = await keep(storage, randomBytes(1_000), expiresAt);
    const hour = new Date(expiresAt).toISOString().slice(0, 13);
    expect(s3.requests.map((request) => request.replace(/^PUT \/[\w-]+\//u, ''))).toEqual([
      expect.stringContaining(`${hour}/zz-bytes-${id}`),
      expect.stringContaining(`${hour}/${id}`),
    ]);
  });

  test('takes a large one in parts, below the hour by which it expires at the latest', async () => {
    const storage = open();
    const bytes = randomBytes(13 * MB);
    const expiresBy = soon() + 2 * HOUR_MS;
    s3.requests.length = 0;
    const draft = await storage.stage(streamOf(bytes), { expiresBy });
    const id = newId(soon());
    await draft.publish(id, describeDraft(draft));
    expect((await bytesOf(await (await storage.open(id))!.read())).equals(bytes)).toBe(true);
    const range = await (await storage.open(id))!.read({ start: 5 * MB - 10, end: 5 * MB + 9 });
    expect((await bytesOf(range)).equals(bytes.subarray(5 * MB - 10, 5 * MB + 10))).toBe(true);
    const hour = new Date(expiresBy).toISOString().slice(0, 13);
    expect(s3.requests.filter((request) => /PUT .*partNumber=/u.test(request))).toHaveLength(3);
    expect(s3.requests[0]).toMatch(new RegExp(`^POST .*/${hour}/zz-bytes-[\\w-]+\\?uploads`, 'u'));
    expect(await s3.unfinished()).toEqual([]);
  });

  test('leaves no parts of an upload that breaks off, is given up or finds the store closed', async () => {
    const storage = open();
    await expect(storage.stage(unfinishedStream(6 * MB, new Error('cut off')))).rejects.toThrow('cut off');
    const abort = new AbortController();
    const staged = storage.stage(unfinishedStream(6 * MB), { signal: abort.signal });
    await expect.poll(() => s3.unfinished()).toHaveLength(1);
    abort.abort();
    await expect(staged).rejects.toThrow();
    const draft = await storage.stage(streamOf(randomBytes(6 * MB)));
    await draft.discard();
    expect(await s3.unfinished()).toEqual([]);
    await storage.stage(streamOf(randomBytes(6 * MB)));
    expect(await s3.unfinished()).toHaveLength(1);
    await storage.close();
    expect(await s3.unfinished()).toEqual([]);
  });

  test('removes the parts of a process that died a day ago, and no younger ones', async () => {
    const url = s3.url();
    await open(url).stage(streamOf(randomBytes(6 * MB)));
    const other = open(url);
    expect(await other.sweep(Date.now())).toEqual({ files: 0, drafts: 0 });
    await s3.letPass(DAY_MS + 1_000);
    expect(await other.sweep(Date.now())).toEqual({ files: 0, drafts: 1 });
    expect(await s3.unfinished()).toEqual([]);
  });

  test('is shared: what one process keeps, another one reads, counts and removes', async () => {
    const url = s3.url();
    const [first, second] = [open(url), open(url)];
    const bytes = randomBytes(700_000);
    const id = await keep(first, bytes, soon());
    expect(sha256(await bytesOf(await (await second.open(id))!.read()))).toBe(sha256(bytes));
    expect(await second.remove(id)).toBe(true);
    expect(await first.open(id)).toBeUndefined();
  });

  test('sweeps hours that are over with their bytes, and leaves nothing of them', async () => {
    const storage = open();
    const before = await s3.keys();
    for (let count = 0; count < 5; count += 1) await keep(storage, randomBytes(100), soon());
    expect(await s3.keys()).toHaveLength(before.length + 10);
    expect(await storage.sweep(soon() + 2 * HOUR_MS)).toEqual({ files: 5, drafts: 0 });
    expect(await s3.keys()).toHaveLength(before.length);
  });

  test('looks at no more names than have expired', async () => {
    const storage = open();
    await keep(storage, randomBytes(100), soon());
    await storage.sweep(Date.now());
    s3.requests.length = 0;
    await storage.sweep(Date.now());
    expect(s3.requests.length).toBeLessThanOrEqual(3);
  });

  test('says that it is down, at once, and is there again when it is', async () => {
    const storage = open();
    const id = await keep(storage, randomBytes(100), soon());
    await s3.stop();
    await expect(storage.open(id)).rejects.toMatchObject({ code: 'storage-down' });
    await expect(keep(storage, randomBytes(100), soon())).rejects.toMatchObject({ code: 'storage-down' });
    await expect(storage.stage(streamOf(randomBytes(6 * MB)))).rejects.toMatchObject({
      code: 'storage-down',
    });
    await s3.start();
    expect((await storage.open(id))?.description.size).toBe(100);
  });
});
