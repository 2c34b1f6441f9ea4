import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTestS3, S3_CREDENTIALS, type TestS3 } from '../../support/s3.ts';
import { eventually, runCommand, temporaryFolder } from '../../support/service.ts';
import {
  expectRefusal,
  filePart,
  MB,
  multipart,
  openUploads,
  post,
  send,
  untilEnd,
  upload,
} from '../../support/upload-client.ts';

const bodyOf = (bytes: Buffer) => multipart(filePart('a.bin', bytes));

describe('with UPLOAD_STORAGE_URL=s3://…', () => {
  const defer = untilEnd();
  let s3: TestS3;
  let origin: string;
  let other: string;

  beforeAll(async () => {
    s3 = await openTestS3(defer);
    const shared = { UPLOAD_STORAGE_URL: s3.url(), UPLOAD_URL: 'http://files.example' };
    ({ origin } = await openUploads(defer, shared));
    ({ origin: other } = await openUploads(defer, shared));
  });

  test.each([0, 100_000, 11 * MB])(
    'a file of %i bytes has the whole life that it has on a disk',
    async (size) => {
      const bytes = randomBytes(size);
      const { file, deletion } = await upload(origin, bytes);
      const whole = await send(other, { path: file });
      expect(whole.body.equals(bytes)).toBe(true);
      const { etag = '', 'content-length': length } = whole.headers;
      expect(length).toBe(String(size));
      expect((await send(other, { path: file, headers: { 'If-None-Match': etag } })).status).toBe(304);
      const head = await send(other, { method: 'HEAD', path: file });
      expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, String(size), 0]);
      if (size > 0) {
        const part = await send(other, { path: file, headers: { Range: `bytes=${size - 10}-` } });
        expect([part.status, part.body.equals(bytes.subarray(size - 10))]).toEqual([206, true]);
      }
      expect((await send(other, { method: 'DELETE', path: deletion })).status).toBe(204);
      expect((await send(origin, { path: file })).status).toBe(404);
    },
  );

  test('nothing is kept of an upload that is too large, and no parts of it', async () => {
    const { origin: small } = await openUploads(defer, {
      UPLOAD_STORAGE_URL: s3.url(),
      UPLOAD_MAX_SIZE: '8 MB',
    });
    const before = await s3.keys();
    expectRefusal(await post(small, bodyOf(randomBytes(9 * MB)), { isChunked: true }), 413);
    await eventually(s3.unfinished, (uploads) => uploads.length === 0);
    expect(await s3.keys()).toEqual(before);
  });

  test('a bucket that cannot be reached is told of with 503, and is used again when it can', async () => {
    const { file } = await upload(origin, randomBytes(1_000));
    await s3.stop();
    const refused = await post(origin, bodyOf(randomBytes(1_000)));
    expectRefusal(refused, 503);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/u);
    const gone = await send(origin, { path: file });
    expect([gone.status, gone.json().message]).toEqual([503, expect.stringContaining('Try again later')]);
    await s3.start();
    expect((await send(origin, { path: file })).status).toBe(200);
    await upload(origin, randomBytes(1_000));
  });

  test('the doctor tries the bucket, and says how it may clean up by itself', async () => {
    const run = runCommand(
      ['doctor'],
      {
        ...{ ...S3_CREDENTIALS, DATA_DIR: await temporaryFolder(defer) },
        SOURCE_URLS: await closedOrigin(),
        UPLOAD_STORAGE_URL: s3.url(),
      },
      defer,
    );
    await run.ended;
    expect(run.output()).toMatch(/ok +s3:\/\/tayang-test opens, and keeps what is put there/u);
    expect(run.output()).toMatch(/put-bucket-lifecycle-configuration --bucket tayang-test .*"Days":1\}/u);
    expect(run.output()).toMatch(/ok +memory: counts/u);
  });

  test('the doctor says what is wrong with a bucket, and with a limiter', async () => {
    const closed = await closedOrigin();
    const run = runCommand(
      ['doctor'],
      {
        ...{ ...S3_CREDENTIALS, DATA_DIR: await temporaryFolder(defer), SOURCE_URLS: closed },
        UPLOAD_STORAGE_URL: `s3://nobody?region=us-east-1&endpoint=${closed}`,
        UPLOAD_LIMITER_URL: closed.replace('http', 'redis'),
      },
      defer,
    );
    await run.ended;
    expect(run.output()).toMatch(
      /problem +s3:\/\/nobody cannot be written to: .*ECONNREFUSED.*UPLOAD_STORAGE_URL/u,
    );
    expect(run.output()).toMatch(/problem +each process counts for itself: .*UPLOAD_LIMITER_URL/u);
  });
});

/** Where nobody listens. */
async function closedOrigin(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
