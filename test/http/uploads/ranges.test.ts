import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { MB, openOnce, openUploads, send, upload } from '../../support/upload-client.ts';

const BYTES = randomBytes(MB + 200_017);
const SIZE = BYTES.length;
const TAG = `"${createHash('sha256').update(BYTES).digest('hex')}"`;

let path: string;

const uploads = openOnce(openUploads);

beforeAll(async () => {
  ({ file: path } = await upload(uploads.origin, BYTES));
});

const get = (headers: Record<string, string>) => send(uploads.origin, { path, headers });

describe('a file', () => {
  test.each([
    ['bytes=0-99', 0, 99],
    ['bytes=1000-2000', 1_000, 2_000],
    ['bytes=-500', SIZE - 500, SIZE - 1],
    ['bytes=1245000-', 1_245_000, SIZE - 1],
    [`bytes=10-${SIZE * 2}`, 10, SIZE - 1],
    ['bytes=0-', 0, SIZE - 1],
    [`bytes=${SIZE - 1}-${SIZE - 1}`, SIZE - 1, SIZE - 1],
    [`bytes=-${SIZE * 2}`, 0, SIZE - 1],
  ])('is 206 with the range: %s', async (range, start, end) => {
    const { status, headers, body } = await get({ Range: range });
    expect(status).toBe(206);
    expect(headers['content-range']).toBe(`bytes ${start}-${end}/${SIZE}`);
    expect(headers['content-length']).toBe(String(end + 1 - start));
    expect(body.equals(BYTES.subarray(start, end + 1))).toBe(true);
  });

  test.each([`bytes=${SIZE}-`, `bytes=${SIZE}-${SIZE + 5}`, 'bytes=-0'])('is 416 for %s', async (range) => {
    const answer = await get({ Range: range });
    expect(answer.status).toBe(416);
    expect(answer.headers['content-range']).toBe(`bytes */${SIZE}`);
    expect(answer.body.length).toBeLessThan(1_000);
  });

  test('answers 416 in JSON', async () => {
    const answer = await get({ Range: `bytes=${SIZE}-` });
    expect(answer.headers['content-type']).toMatch(/^application\/json/u);
    expect(answer.json()).toEqual({ status: false, message: expect.any(String) });
  });

  test.each(['bytes=x-y', 'bytes=', 'bytes', 'lines=0-5', '0-5', 'bytes=0-5,10-15', 'bytes=--5'])(
    'is 200 and complete for a Range of %s',
    async (range) => {
      const { status, body } = await get({ Range: range });
      expect(status).toBe(200);
      expect(body).toHaveLength(SIZE);
    },
  );

  test('is 206 only when If-Range names the current version', async () => {
    const { headers } = await send(uploads.origin, { method: 'HEAD', path });
    const statusOf = async (ifRange: string) =>
      (await get({ Range: 'bytes=5-9', 'If-Range': ifRange })).status;
    expect(await statusOf(TAG)).toBe(206);
    expect(await statusOf(String(headers['last-modified']))).toBe(206);
    expect(await statusOf('"another"')).toBe(200);
    expect(await statusOf(`W/${TAG}`)).toBe(200);
    expect(await statusOf(new Date(0).toUTCString())).toBe(200);
  });
});
