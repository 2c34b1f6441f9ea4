import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import type { Storage } from '../../../src/uploads/storage.ts';
import { openTestS3, type TestS3, useS3Key } from '../../support/s3.ts';
import { untilEnd } from '../../support/until-end.ts';
import { bytesOf, HOUR_MS, keep, usageOf } from '../../support/uploads.ts';

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
