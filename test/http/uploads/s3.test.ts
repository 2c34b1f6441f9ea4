import { createHash, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { createdUpload, offsetOf, patch, TUS } from '../../support/resumable.ts';
import { openTestS3, refuse, type TestS3, useS3Key } from '../../support/s3.ts';
import { eventually } from '../../support/service.ts';
import { setClock } from '../../support/set-clock.ts';
import {
  expectRefusal,
  filePart,
  MB,
  multipart,
  openSocket,
  openUploads,
  post,
  postHead,
  readAnswer,
  send,
  sendUnread,
  upload,
} from '../../support/upload-client.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('uploads in S3', () => {
  let s3: TestS3;
  let url: string;

  beforeEach(async () => {
    useS3Key();
    s3 = await openTestS3(onTestFinished);
    url = s3.url();
  });

  const open = (more: Record<string, string> = {}) =>
    openUploads(onTestFinished, { UPLOAD_STORAGE_URL: url, ...more });
  /** Waits, because objects are removed shortly after an error. */
  const expectNothingLeft = () =>
    eventually(
      async () => [...s3.keys(), ...s3.unfinished()],
      (left) => left.length === 0,
    );

  async function sweepOnce(): Promise<void> {
    const storage = await openS3Storage(url, Date.now);
    await storage.sweep(Date.now());
    await storage.close();
  }

  test('two services take turns with the requests of one upload, whatever the size of their bodies', async () => {
    const origins = [(await open()).origin, (await open()).origin];
    const bytes = randomBytes(13 * MB + 5);
    const path = await createdUpload(origins[0]!, bytes.length);
    const ends = [1, 5 * MB, 5 * MB + 1, 11 * MB, 13 * MB, bytes.length];
    for (const [index, end] of ends.entries()) {
      const start = ends[index - 1] ?? 0;
      const answer = await patch(origins[index % 2]!, path, start, bytes.subarray(start, end));
      expect(answer.headers['upload-offset'], answer.text).toBe(String(end));
      expect(await offsetOf(origins[(index + 1) % 2]!, path)).toBe(end);
    }
    for (const origin of origins) {
      const { url_file } = (await send(origin, { path })).json().result;
      const file = await send(origin, { path: new URL(url_file).pathname });
      expect(sha256(file.body)).toBe(sha256(bytes));
    }
    await send(origins[1]!, { method: 'DELETE', path, headers: TUS });
    await expectNothingLeft();
  });

  test('a resumable upload is refused while S3 is full or unreachable, and can be continued afterwards', async () => {
    const { origin } = await open();
    const bytes = randomBytes(6 * MB);
    const path = await createdUpload(origin, bytes.length);
    await patch(origin, path, 0, bytes.subarray(0, MB));
    s3.fault = (ctx) => (ctx.method === 'PUT' ? refuse(ctx, 507, 'StorageFull') : false);
    expect((await patch(origin, path, MB, bytes.subarray(MB))).status).toBe(507);
    expect(await offsetOf(origin, path)).toBe(MB);
    s3.fault = undefined;
    expect((await patch(origin, path, MB, bytes.subarray(MB))).status).toBe(204);
    expect((await send(origin, { path })).status).toBe(200);
  });

  describe('a deletion that fails half way', () => {
    const deletionOf = (answer: Awaited<ReturnType<typeof post>>) => {
      const url = new URL(String(answer.headers['x-delete-url']));
      return { method: 'DELETE', path: url.pathname };
    };
    const isDeletion = ({ method, path }: Context) => method === 'DELETE' && !path.endsWith('/check');
    /** Lets so many deletions of objects succeed. */
    function failAfter(deletions: number): void {
      let left = deletions;
      s3.fault = (ctx) => {
        if (!isDeletion(ctx)) return false;
        left -= 1;
        return left < 0 ? refuse(ctx, 403, 'AccessDenied') : false;
      };
    }

    test.each([0, 1])(
      'after %i steps is repeated or finished by a sweep, and frees the space once',
      async (steps) => {
        const { origin } = await open({ UPLOAD_ADDRESS_QUOTA: '1 MB', UPLOAD_MAX_SIZE: '1 MB' });
        const body = multipart(filePart('a.bin', randomBytes(800_000)));
        const deletion = deletionOf(await post(origin, body));
        failAfter(steps);
        expect((await send(origin, deletion)).status).toBe(steps === 0 ? 503 : 204);
        s3.fault = undefined;
        if (steps === 0) {
          expect((await post(origin, body)).status).toBe(507);
          const guessed = `${deletion.path.slice(0, -1)}${deletion.path.endsWith('A') ? 'B' : 'A'}`;
          expect((await send(origin, { ...deletion, path: guessed })).status).toBe(404);
          expect((await send(origin, deletion)).status).toBe(204);
        }
        await sweepOnce();
        await expectNothingLeft();
        expect((await send(origin, deletion)).status).toBe(404);
        expect((await post(origin, body)).status).toBe(200);
      },
    );

    test.each([0, 1])(
      'of a resumable upload after %i steps is repeated or finished by a sweep',
      async (steps) => {
        const { origin } = await open({ UPLOAD_ADDRESS_QUOTA: '1 MB', UPLOAD_MAX_SIZE: '1 MB' });
        const path = await createdUpload(origin, 1_000_000);
        expect((await patch(origin, path, 0, randomBytes(800_000))).status).toBe(204);
        const body = multipart(filePart('a.bin', randomBytes(800_000)));
        const deletion = { method: 'DELETE', path, headers: TUS };
        failAfter(steps);
        expect((await send(origin, deletion)).status).toBe(steps === 0 ? 503 : 204);
        s3.fault = undefined;
        if (steps === 0) expect((await send(origin, deletion)).status).toBe(204);
        expect((await send(origin, deletion)).status).toBe(404);
        await sweepOnce();
        await expectNothingLeft();
        expect((await post(origin, body)).status).toBe(200);
      },
    );
  });

  test('close the connection to S3 when a client aborts its download', async () => {
    const { origin } = await open();
    const { file } = await upload(origin, randomBytes(12 * MB));
    const closed = Promise.withResolvers<boolean>();
    s3.fault = ({ req, res }) => {
      if (req.headers.range) res.on('close', () => closed.resolve(res.writableFinished));
      return false;
    };
    const response = await sendUnread(origin, { path: file });
    response.on('error', () => {}).destroy();
    expect(await closed.promise).toBe(false);
  });

  test.each([100, 6 * MB])('of %i bytes are stored, read whole and in part, and removed', async (size) => {
    const { origin } = await open();
    const bytes = randomBytes(size);
    const { file, page, deletion } = await upload(origin, bytes, {
      name: 'pakét 1.bin',
      type: 'image/png',
    });
    const etag = `"${sha256(bytes)}"`;

    const whole = await send(origin, { path: file });
    expect(whole).toMatchObject({ status: 200, headers: { etag, 'content-length': String(size) } });
    expect(whole.headers['content-disposition']).toContain("filename*=UTF-8''pak%C3%A9t");
    expect(whole.body.equals(bytes)).toBe(true);
    const part = await send(origin, { path: file, headers: { Range: `bytes=10-${size - 11}` } });
    expect(part).toMatchObject({
      status: 206,
      headers: { 'content-range': `bytes 10-${size - 11}/${size}` },
    });
    expect(part.body.equals(bytes.subarray(10, -10))).toBe(true);
    expect(await send(origin, { path: file, headers: { Range: `bytes=${size}-` } })).toMatchObject({
      status: 416,
    });

    s3.requests.length = 0;
    const head = await send(origin, { method: 'HEAD', path: file });
    expect(head).toMatchObject({ status: 200, headers: { etag, 'content-length': String(size) }, text: '' });
    expect(await send(origin, { path: file, headers: { 'If-None-Match': etag } })).toMatchObject({
      status: 304,
    });
    expect((await send(origin, { path: page })).text).toContain(sha256(bytes));
    expect(s3.requests.filter((request) => request.includes(page))).toHaveLength(3);

    expect(await send(origin, { method: 'DELETE', path: deletion })).toMatchObject({ status: 204 });
    expect(await send(origin, { path: file })).toMatchObject({ status: 404 });
    await expectNothingLeft();
  });

  test('are 410 after their expiry without a request to S3, and swept', async () => {
    setClock(Date.now());
    const { origin } = await open();
    const { result, file, page } = await upload(origin, 'x', { path: '/upload?expires=9s' });
    expect(await send(origin, { path: file })).toMatchObject({ status: 200 });
    setClock(result.expired);
    expect(await send(origin, { path: file })).toMatchObject({ status: 410 });
    await s3.stop();
    expect(await send(origin, { path: page })).toMatchObject({ status: 410 });
    await s3.start();
    await open();
    await expectNothingLeft();
  });

  test('are served by every service on the bucket, and counted by one that starts', async () => {
    const [one, other] = [await open(), await open()];
    const { file, deletion } = await upload(one.origin, randomBytes(6 * MB));
    expect((await send(other.origin, { path: file })).body).toHaveLength(6 * MB);
    const third = await open({ UPLOAD_QUOTA: '8 MB' });
    await expect
      .poll(() => post(third.origin, multipart(filePart('a.bin', randomBytes(3 * MB)))))
      .toMatchObject({ status: 507 });
    expect(await send(other.origin, { method: 'DELETE', path: deletion })).toMatchObject({ status: 204 });
    expect(await send(one.origin, { path: file })).toMatchObject({ status: 404 });
  });

  test('leave no objects when they are refused or aborted', async () => {
    const { origin } = await open({ UPLOAD_MAX_SIZE: '7 MB' });
    expectRefusal(
      await post(origin, multipart(filePart('a', randomBytes(8 * MB))), { isChunked: true }),
      413,
    );
    expectRefusal(await post(origin, multipart(filePart('a', randomBytes(6 * MB))).subarray(0, -20)), 400);
    const twice = multipart(filePart('a', randomBytes(6 * MB)), filePart('b', 'x'));
    expectRefusal(await post(origin, twice), 400);
    const { socket } = await openSocket(origin);
    socket.write(postHead({ 'Content-Length': 7 * MB }));
    socket.write(multipart(filePart('a', randomBytes(6 * MB))).subarray(0, -20));
    await expect.poll(() => s3.unfinished().length).toBe(1);
    socket.destroy();
    await expectNothingLeft();
  });

  test('answer 503 while S3 is down, and work again once it is back', async () => {
    const { origin } = await open();
    const kept = await upload(origin, 'kept');
    const large = multipart(filePart('a.bin', randomBytes(11 * MB)));
    s3.fault = (ctx) => {
      if (ctx.query.partNumber !== '2') return false;
      return s3.stop();
    };
    const refused = await post(origin, large);
    expectRefusal(refused, 503);
    expect(refused.headers['retry-after']).toBe('10');
    for (const path of [kept.file, kept.page, kept.deletion])
      expect(await send(origin, { path })).toMatchObject({
        status: 503,
        headers: { 'cache-control': 'no-store' },
      });
    expectRefusal(await post(origin, multipart(filePart('a', 'x'))), 503);
    s3.fault = undefined;
    await s3.start();
    expect(await send(origin, { path: kept.file })).toMatchObject({ status: 200 });
    await upload(origin, 'x');
  });

  test('end a download with an error when S3 fails during it', async () => {
    const { origin } = await open();
    // More than all buffers on the way hold while the client does not read.
    const { file } = await upload(origin, randomBytes(16 * MB));
    const response = await sendUnread(origin, { path: file });
    expect(response.statusCode).toBe(200);
    await s3.stop();
    await expect(readAnswer(response)).rejects.toThrow();
    await s3.start();
  });

  test('do not keep a service from starting while S3 is down', async () => {
    await s3.stop();
    const { origin } = await open();
    expectRefusal(await post(origin, multipart(filePart('a', 'x'))), 503);
    await s3.start();
    await upload(origin, 'x');
  });
});
