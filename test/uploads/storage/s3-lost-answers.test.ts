import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { beforeEach, expect, test } from 'vitest';
import type { Storage } from '../../../src/uploads/storage.ts';
import { useFakeBucket } from '../../support/s3-storage.ts';
import { bytesOf, HOUR_MS, keep, usageOf } from '../../support/uploads.ts';

const MB = 1024 * 1024;
const SWEEP_MS = 25_000;
const bucket = useFakeBucket();
let storage: Storage;

beforeEach(async () => {
  storage = await bucket.open();
});

const soon = () => Date.now() + HOUR_MS;

/** Resets the connection in place of the answer of the first `times` matching requests, which the server has obeyed. */
function loseAnswers(isMatch: (ctx: Context) => boolean, times = 1): void {
  let left = times;
  bucket.s3.fault = (ctx) => {
    if (left > 0 && isMatch(ctx)) {
      left -= 1;
      ctx.res.writeHead = () => ctx.res.destroy();
    }
    return false;
  };
}

const isBegin = ({ method, query }: Context) => method === 'POST' && query.uploads !== undefined;
const isComplete = ({ method, query }: Context) => method === 'POST' && query.uploadId !== undefined;

test('an upload whose completion got no answer is published', async () => {
  loseAnswers(isComplete);
  const bytes = randomBytes(6 * MB);
  const id = await keep(storage, bytes, soon());
  expect((await bytesOf(await (await storage.open(id))!.read())).equals(bytes)).toBe(true);
});

test('an upload whose first request got no answer is published, and the second multipart upload of the retry is swept', async () => {
  loseAnswers(isBegin);
  await keep(storage, randomBytes(6 * MB), soon());
  expect(bucket.s3.unfinished()).toHaveLength(1);
  await storage.sweep(Date.now());
  expect(bucket.s3.unfinished()).toEqual([]);
  expect(await usageOf(storage)).toHaveLength(1);
});

test('an upload that began on the server, although the request failed, is swept', async () => {
  loseAnswers(isBegin, 3);
  await expect(keep(storage, randomBytes(11 * MB), soon())).rejects.toMatchObject({ code: 'storage-down' });
  await storage.sweep(Date.now());
  await storage.sweep(Date.now() + SWEEP_MS);
  await storage.close();
  expect([...bucket.s3.unfinished(), ...bucket.s3.keys()]).toEqual([]);
});
