import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import type { Storage } from '../../../src/uploads/storage.ts';
import { announce } from '../../contracts/resumable-storage.ts';
import { openTestS3, refuse, type TestS3, useS3Key } from '../../support/s3.ts';
import { untilEnd } from '../../support/until-end.ts';
import { bytesOf, describeUpload, HOUR_MS, keep, newId, sha256, usageOf } from '../../support/uploads.ts';

const MB = 1024 * 1024;
const SWEEP_MS = 25_000;
const defer = untilEnd();
let s3: TestS3;
let storage: Storage;

beforeAll(async () => {
  useS3Key();
  s3 = await openTestS3(defer);
});

beforeEach(async () => {
  s3.fault = undefined;
  s3.memory.uploads.clear();
  s3.memory.objects.clear();
  storage = await openS3Storage(s3.url(), { clock: Date.now, report: () => {} });
  onTestFinished(() => storage.close());
});

const soon = () => Date.now() + HOUR_MS;

/** Resets the connection in place of the answer of the first `times` matching requests, which the server has obeyed. */
function loseAnswers(isMatch: (ctx: Context) => boolean, times = 1): void {
  let left = times;
  s3.fault = (ctx) => {
    if (left > 0 && isMatch(ctx)) {
      left -= 1;
      ctx.res.writeHead = () => ctx.res.destroy();
    }
    return false;
  };
}

const isBegin = ({ method, query }: Context) => method === 'POST' && query.uploads !== undefined;
const isComplete = ({ method, query }: Context) => method === 'POST' && query.uploadId !== undefined;
const isConditional = ({ headers }: Context) => headers['if-match'] !== undefined;

test('an upload whose completion got no answer is published', async () => {
  loseAnswers(isComplete);
  const bytes = randomBytes(6 * MB);
  const id = await keep(storage, bytes, soon());
  expect((await bytesOf(await (await storage.open(id))!.read())).equals(bytes)).toBe(true);
});

test('an upload whose first request got no answer is published, and the second multipart upload of the retry is swept', async () => {
  loseAnswers(isBegin);
  await keep(storage, randomBytes(6 * MB), soon());
  expect(s3.unfinished()).toHaveLength(1);
  await storage.sweep(Date.now());
  expect(s3.unfinished()).toEqual([]);
  expect(await usageOf(storage)).toHaveLength(1);
});

test('an upload that began on the server, although the request failed, is swept', async () => {
  loseAnswers(isBegin, 3);
  await expect(keep(storage, randomBytes(11 * MB), soon())).rejects.toMatchObject({ code: 'storage-down' });
  await storage.sweep(Date.now());
  await storage.sweep(Date.now() + SWEEP_MS);
  await storage.close();
  expect([...s3.unfinished(), ...s3.keys()]).toEqual([]);
});

async function createUpload(length: number): Promise<string> {
  const key = newId(soon());
  await storage.resumable.create(key, announce(length));
  return key;
}

async function append(key: string, bytes: Buffer): Promise<number> {
  const locked = (await storage.resumable.lock(key))!;
  await locked.append(bytes);
  return locked.commit();
}

test('bytes of a resumable upload are acknowledged although the first answer was lost', async () => {
  const key = await createUpload(10);
  loseAnswers(isConditional);
  expect(await append(key, randomBytes(10))).toBe(10);
});

test('a resumable upload goes on although the write of its first record got no answer', async () => {
  const bytes = randomBytes(6 * MB);
  const key = await createUpload(bytes.length);
  loseAnswers(isConditional, 3);
  await expect(append(key, bytes)).rejects.toMatchObject({ code: 'storage-down' });
  s3.fault = undefined;
  expect(await append(key, bytes)).toBe(bytes.length);
  await storage.sweep(soon());
  expect([...s3.unfinished(), ...s3.keys()]).toEqual([]);
});

test('a resumable upload keeps its parts when another process continued it before a request was repeated', async () => {
  const bytes = randomBytes(11 * MB);
  const key = await createUpload(bytes.length);
  let writes = 0;
  s3.fault = async (ctx) => {
    if (!isConditional(ctx)) return false;
    writes += 1;
    if (writes === 1) ctx.res.writeHead = () => ctx.res.destroy();
    if (writes === 2) expect(await append(key, bytes.subarray(0, 6 * MB))).toBe(6 * MB);
    return false;
  };
  await expect(append(key, bytes)).rejects.toMatchObject({ code: 'locked' });
  expect(await append(key, bytes.subarray(6 * MB))).toBe(bytes.length);
  expect((await (await storage.resumable.lock(key))!.stage()).sha256).toBe(sha256(bytes));
});

test('a part of a resumable upload that has been removed meanwhile leaves nothing', async () => {
  const key = await createUpload(6 * MB);
  const late = (await storage.resumable.lock(key))!;
  await (await storage.resumable.lock(key))!.remove();
  await late.append(randomBytes(5 * MB));
  await expect(late.commit()).rejects.toMatchObject({ code: 'locked' });
  expect([...s3.unfinished(), ...s3.keys()]).toEqual([]);
});

test('a resumable upload with lost answers leaves nothing once it has expired', async () => {
  const key = await createUpload(6 * MB);
  loseAnswers(isBegin);
  await append(key, randomBytes(5 * MB + 10));
  loseAnswers(isConditional, 3);
  await expect(append(key, randomBytes(10))).rejects.toMatchObject({ code: 'storage-down' });
  s3.fault = undefined;
  await storage.sweep(soon());
  expect([...s3.unfinished(), ...s3.keys()]).toEqual([]);
});

test('an object that arrives after its resumable upload was removed is swept', async () => {
  const key = await createUpload(10);
  await append(key, randomBytes(5));
  const [late = ''] = s3.keys().filter((name) => name.includes(`${key}.`));
  const object = s3.memory.objects.get(late)!;
  await storage.sweep(soon());
  s3.memory.objects.set(late, object);
  await storage.sweep(soon() + SWEEP_MS);
  expect(s3.keys()).toEqual([]);
});

test('a resumable upload goes on from its last whole part when an older record has come back', async () => {
  const bytes = randomBytes(6 * MB);
  const key = await createUpload(bytes.length);
  await append(key, bytes.subarray(0, 5 * MB + 10));
  const record = s3.keys().find((name) => name.endsWith(key))!;
  const older = s3.memory.objects.get(record)!;
  await append(key, bytes.subarray(5 * MB + 10, 5 * MB + 20));
  s3.memory.objects.set(record, older);
  await expect(append(key, bytes.subarray(5 * MB + 10))).rejects.toMatchObject({ code: 'locked' });
  expect((await storage.resumable.find(key))?.offset).toBe(5 * MB);
  expect(await append(key, bytes.subarray(5 * MB))).toBe(bytes.length);
  expect((await (await storage.resumable.lock(key))!.stage()).sha256).toBe(sha256(bytes));
});

test('a resumable upload works on a server without conditional writes', async () => {
  const bytes = randomBytes(6 * MB);
  const key = await createUpload(bytes.length);
  s3.fault = (ctx) => (isConditional(ctx) ? refuse(ctx, 501, 'NotImplemented') : false);
  await append(key, bytes.subarray(0, 10));
  expect(await append(key, bytes.subarray(10))).toBe(bytes.length);
  const staged = await (await storage.resumable.lock(key))!.stage();
  expect(staged.sha256).toBe(sha256(bytes));
  await staged.publish(newId(soon()), describeUpload(staged));
  expect(await usageOf(storage)).toHaveLength(1);
});
