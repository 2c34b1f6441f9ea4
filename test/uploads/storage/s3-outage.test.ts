import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { AppError, describeError } from '../../../src/domain/errors.ts';
import { recount } from '../../../src/uploads/limiters/recount.ts';
import { runScript } from '../../support/run-script.ts';
import { refuse } from '../../support/s3.ts';
import { useFakeBucket } from '../../support/s3-storage.ts';
import { bytesOf, HOUR_MS, keep, newId, streamOf, usageOf } from '../../support/uploads.ts';

const MB = 1024 * 1024;
const bucket = useFakeBucket();
const { open } = bucket;
const soon = () => Date.now() + HOUR_MS;
/** What the operator is told of a failure. */
const causeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it works',
    (error: unknown) => describeError(error instanceof AppError ? error.cause : error),
  );

describe('a storage in S3', () => {
  test('aborts the parts of an upload once S3 is back', async () => {
    const storage = await open();
    const staged = await storage.stage(streamOf(randomBytes(11 * MB)));
    await expect.poll(() => bucket.s3.unfinished()).toHaveLength(1);
    await bucket.s3.stop();
    await staged.discard();
    await bucket.s3.start();
    expect(bucket.s3.unfinished()).toHaveLength(1);
    expect(await storage.sweep(Date.now())).toMatchObject({ files: 0, stagedUploads: 0 });
    expect(bucket.s3.unfinished()).toEqual([]);
    await expect.poll(() => bucket.s3.keys()).toEqual([]);
  });

  test('does not wait for S3 when it does not answer', async () => {
    const storage = await open();
    const id = await keep(storage, randomBytes(10), soon());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    bucket.s3.fault = () => new Promise(() => {});
    const opening = causeOf(storage.open(id));
    for (let second = 0; second < 16; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await opening).toMatch(/no answer within|exceeded/u);
  });
});

test.each([
  [403, 'AccessDenied', 'storage-down', 'let its key list the bucket'],
  [403, 'InvalidAccessKeyId', 'storage-down', 'AWS_ACCESS_KEY_ID'],
  [404, 'NoSuchBucket', 'storage-down', 'create the bucket'],
  [301, 'PermanentRedirect', 'storage-down', 'correct region and endpoint'],
  [403, 'RequestTimeTooSkewed', 'storage-down', 'clock'],
  [403, 'QuotaExceeded', 'storage-full', 'more space'],
  [507, 'XMinioStorageFull', 'storage-full', 'more space'],
  [507, 'InsufficientStorage', 'storage-full', 'more space'],
])('a refusal by S3 with %i %s is %s, with advice for the operator: %s', async (status, name, code, mend) => {
  const storage = await open();
  bucket.s3.fault = (ctx) => refuse(ctx, status, name);
  const keeping = keep(storage, randomBytes(10), soon());
  const cause = await causeOf(keeping);
  expect(cause).toContain(name);
  expect(cause).toContain(mend);
  await expect(keeping).rejects.toMatchObject({ code });
  bucket.s3.fault = undefined;
  expect(bucket.s3.keys()).toEqual([]);
});

test.each([403, 500])(
  'an entry whose object S3 refuses with %i holds up no recount, and stays',
  async (status) => {
    const storage = await open();
    const [refused, gone] = [newId(soon()), newId(soon())];
    bucket.s3.fault = (ctx) => (ctx.path.endsWith(refused) ? refuse(ctx, status, 'InternalError') : false);
    const known = new Map([refused, gone].map((id) => [id, 10]));
    const [correct, report] = [vi.fn(async () => {}), vi.fn()];
    const options = { storage, report, elapsedMs: () => 0 };
    await recount(known, correct, options, new AbortController().signal);
    expect(correct).toHaveBeenCalledExactlyOnceWith([{ id: gone, owner: '', size: undefined, from: 10 }]);
    expect(report).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ type: 'store-failed', doing: expect.stringContaining(refused) }),
    );
  },
);

test('a process with another storage never loads the S3 client', async () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { STORAGE_DRIVERS } = await import('src/uploads/storage/drivers.ts');
    await import('src/app/service.ts');
    const count = () => loaded.filter((url) => url.includes('@aws-sdk/')).length;
    const before = count();
    const storage = await STORAGE_DRIVERS['s3:'](process.argv[1]);
    await storage.close();
    console.log(JSON.stringify([before, count() > 0]));`;
  expect(JSON.parse(await runScript(script, [bucket.url], onTestFinished).output)).toEqual([0, true]);
});

describe('processes on one bucket', () => {
  test('keep the parts of a long staged upload while its process sends heartbeats', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    let now = Date.now();
    const [one, other] = [await open(), await open()];
    await one.stage(streamOf(randomBytes(6 * MB)));
    await expect.poll(() => bucket.s3.unfinished()).toHaveLength(1);
    const [alive = ''] = bucket.s3.keys().filter((key) => key.includes('/alive/'));
    const heartbeat = () => bucket.s3.memory.objects.get(alive)?.bytes.toString('hex');
    for (let sweeps = 0; sweeps < 4; sweeps += 1) {
      const before = heartbeat();
      expect(await other.sweep(now)).toMatchObject({ files: 0, stagedUploads: 0 });
      now += 25_000;
      vi.advanceTimersByTime(5_000);
      await expect.poll(heartbeat).not.toBe(before);
    }
    expect(bucket.s3.unfinished()).toHaveLength(1);
  });
});

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
  const storage = await open();
  const bytes = randomBytes(6 * MB);
  const id = await keep(storage, bytes, soon());
  expect((await bytesOf(await (await storage.open(id))!.read())).equals(bytes)).toBe(true);
});

test('an upload whose first request got no answer is published, and the second multipart upload of the retry is swept', async () => {
  loseAnswers(isBegin);
  const storage = await open();
  await keep(storage, randomBytes(6 * MB), soon());
  expect(bucket.s3.unfinished()).toHaveLength(1);
  await storage.sweep(Date.now());
  expect(bucket.s3.unfinished()).toEqual([]);
  expect(await usageOf(storage)).toHaveLength(1);
});

test('an upload that began on the server, although the request failed, is swept', async () => {
  loseAnswers(isBegin, 3);
  const storage = await open();
  await expect(keep(storage, randomBytes(11 * MB), soon())).rejects.toMatchObject({ code: 'storage-down' });
  await storage.sweep(Date.now());
  await storage.sweep(Date.now() + 25_000);
  await storage.close();
  expect([...bucket.s3.unfinished(), ...bucket.s3.keys()]).toEqual([]);
});
