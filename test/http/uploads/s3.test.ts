import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { createdUpload, offsetOf, patch, TUS } from '../../support/resumable.ts';
import { openTestS3, refuse, type TestS3 } from '../../support/s3.ts';
import {
  expectRefusal,
  filePart,
  MB,
  multipart,
  openUploads,
  post,
  readAnswer,
  send,
  sendUnread,
  upload,
} from '../../support/upload-client.ts';

/** What a client sees of S3. What the storage makes of it is tried in test/uploads/storage. */

let s3: TestS3;
let url: string;

beforeEach(async () => {
  s3 = await openTestS3(onTestFinished);
  url = s3.url();
});

const open = (more: Record<string, string> = {}) =>
  openUploads(onTestFinished, { UPLOAD_STORAGE_URL: url, ...more });
const LARGE = multipart(filePart('a.bin', randomBytes(800_000)));

test('uploads are refused with 507 while S3 is full, and can be continued afterwards', async () => {
  const { origin } = await open();
  const bytes = randomBytes(6 * MB);
  const path = await createdUpload(origin, bytes.length);
  await patch(origin, path, 0, bytes.subarray(0, MB));
  s3.fault = (ctx) => (ctx.method === 'PUT' ? refuse(ctx, 507, 'StorageFull') : false);
  expect((await patch(origin, path, MB, bytes.subarray(MB))).status).toBe(507);
  expectRefusal(await post(origin, LARGE), 507);
  expect(await offsetOf(origin, path)).toBe(MB);
  s3.fault = undefined;
  expect((await patch(origin, path, MB, bytes.subarray(MB))).status).toBe(204);
  expect((await send(origin, { path })).status).toBe(200);
});

test.each([
  ['of a file', 0],
  ['of a file', 1],
  ['of a resumable upload', 0],
  ['of a resumable upload', 1],
])(
  'a deletion %s that fails after %i steps is repeated or finished by a sweep, and frees the space',
  async (what, steps) => {
    const { origin } = await open({ UPLOAD_ADDRESS_QUOTA: '1 MB', UPLOAD_MAX_SIZE: '1 MB' });
    let deletion = { method: 'DELETE', path: '', headers: TUS };
    if (what === 'of a file') {
      const answer = await post(origin, LARGE);
      deletion = { ...deletion, path: new URL(String(answer.headers['x-delete-url'])).pathname };
    } else {
      deletion.path = await createdUpload(origin, 1_000_000);
      expect((await patch(origin, deletion.path, 0, randomBytes(800_000))).status).toBe(204);
    }
    let left = steps;
    s3.fault = (ctx: Context) => {
      if (ctx.method !== 'DELETE' || ctx.path.endsWith('/check')) return false;
      left -= 1;
      return left < 0 ? refuse(ctx, 403, 'AccessDenied') : false;
    };
    expect((await send(origin, deletion)).status).toBe(steps === 0 ? 503 : 204);
    s3.fault = undefined;
    if (steps === 0) {
      expect((await post(origin, LARGE)).status).toBe(507);
      const guessed = `${deletion.path.slice(0, -1)}${deletion.path.endsWith('a') ? 'b' : 'a'}`;
      expect((await send(origin, { ...deletion, path: guessed })).status).toBe(404);
      expect((await send(origin, deletion)).status).toBe(204);
    }
    const storage = await openS3Storage(url);
    await storage.sweep(Date.now());
    await storage.close();
    await expect.poll(() => [...s3.keys(), ...s3.unfinished()]).toEqual([]);
    expect((await send(origin, deletion)).status).toBe(404);
    expect((await post(origin, LARGE)).status).toBe(200);
  },
);

test('everything is 503 while S3 is down, also for a service that starts, and works again once it is back', async () => {
  const { origin } = await open();
  const kept = await upload(origin, 'kept');
  s3.fault = (ctx) => (ctx.query.partNumber === '2' ? s3.stop() : false);
  const refused = await post(origin, multipart(filePart('a.bin', randomBytes(11 * MB))));
  expectRefusal(refused, 503);
  expect(refused.headers['retry-after']).toBe('10');
  const asked = [kept.file, kept.page, kept.deletion].map((path) => ({ path, method: 'GET' }));
  for (const one of [...asked, { path: kept.deletion, method: 'DELETE' }])
    expect(await send(origin, one)).toMatchObject({
      status: 503,
      headers: { 'cache-control': 'no-store' },
    });
  const started = await open();
  expectRefusal(await started.post(multipart(filePart('a', 'x'))), 503);
  s3.fault = undefined;
  await s3.start();
  expect(await send(origin, { path: kept.file })).toMatchObject({ status: 200 });
  await upload(origin, 'x');
  await started.upload('x');
});

test('a download ends with an error when S3 fails during it', async () => {
  const { origin } = await open();
  // More than all buffers on the way hold while the client does not read.
  const { file } = await upload(origin, randomBytes(16 * MB));
  const response = await sendUnread(origin, { path: file });
  expect(response.statusCode).toBe(200);
  await s3.stop();
  await expect(readAnswer(response)).rejects.toThrow();
  await s3.start();
});
