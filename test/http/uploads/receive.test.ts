import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Answer,
  filePart,
  MB,
  multipart,
  openOnce,
  openUploads,
  part,
} from '../../support/upload-client.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PUBLIC = 'https://files.example.org';

const uploads = openOnce((defer) => openUploads(defer, { UPLOAD_URL: PUBLIC, UPLOAD_MAX_SIZE: '5 MB' }));

/** Formats `HH:mm:ss DD/MM/YYYY` at UTC+7, without the formatter under test. */
function inJakarta(ms: number): string {
  const [date = '', time = ''] = new Date(ms + 7 * HOUR_MS).toISOString().split(/[T.]/u);
  return `${time} ${date.split('-').reverse().join('/')}`;
}

describe('an upload', () => {
  let answer: Answer;
  let before: number;
  const bytes = randomBytes(1_268_777);

  beforeAll(async () => {
    before = Date.now();
    answer = await uploads.post(multipart(filePart('foto saya.PNG', bytes, 'image/png')), {
      headers: { Host: 'evil.example' },
    });
  });

  test('gets a response with exactly the eight fields, and its name, encoding and type as they were sent', () => {
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/u);
    expect(Object.keys(answer.json())).toEqual(['status', 'result']);
    expect(Object.keys(answer.json().result)).toEqual(
      'originalname encoding mimetype filesize expired expiredFmt url url_file'.split(' '),
    );
    expect(answer.json()).toMatchObject({
      status: true,
      result: {
        originalname: 'foto saya.PNG',
        encoding: '7bit',
        mimetype: 'image/png',
        filesize: '1.21 MB',
      },
    });
  });

  test('expires after UPLOAD_TTL, given as a number of 13 digits and in TIME_ZONE', () => {
    const { expired, expiredFmt } = answer.json().result;
    expect(String(expired)).toMatch(/^\d{13}$/u);
    expect(expired).toBeGreaterThanOrEqual(before + DAY_MS);
    expect(expired).toBeLessThanOrEqual(Date.now() + DAY_MS);
    expect(expiredFmt).toBe(inJakarta(expired));
  });

  test('has addresses from UPLOAD_URL, whatever the Host header says, and is served there unchanged', async () => {
    const { url, url_file: file } = answer.json().result;
    expect(url).toMatch(/^https:\/\/files\.example\.org\/[0-9a-z]+$/u);
    expect(file).toMatch(/^https:\/\/files\.example\.org\/.+\.png$/u);
    expect(answer.headers['x-delete-url']).toMatch(/^https:\/\/files\.example\.org\/.{40,}$/u);
    expect(JSON.stringify([answer.headers, answer.text])).not.toContain('evil');
    const served = await uploads.send({ path: new URL(file).pathname });
    expect(served.status).toBe(200);
    expect(served.body.equals(bytes)).toBe(true);
  });

  test('gets the headers of its limit, and those by which pages of any origin may read them', () => {
    expect(answer.headers['ratelimit-policy']).toBe('"upload";q=10000;w=60');
    expect(answer.headers.ratelimit).toMatch(/^"upload";r=9999;t=(60|59)$/u);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const exposed = String(answer.headers['access-control-expose-headers']).split(/,\s*/u);
    expect(exposed.sort()).toEqual([
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'X-Delete-Url',
      'X-Url-Delete',
    ]);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });
});

test.each([0, 1, 65_535, 65_536, 600_000, 5 * MB])('a file of %i bytes is stored unchanged', async (size) => {
  const bytes = randomBytes(size);
  const { file } = await uploads.upload(bytes, { isChunked: true });
  expect((await uploads.send({ path: file })).body.equals(bytes)).toBe(true);
});

test('the largest file is accepted beside fields, although the body is larger', async () => {
  const field = part('form-data; name="comment"', 'x'.repeat(1_000));
  const body = multipart(field, filePart('a.bin', randomBytes(5 * MB)), field);
  expect((await uploads.post(body)).json().result.filesize).toBe('5.00 MB');
});

test('the declared encoding is returned, and the content is not decoded', async () => {
  const disposition = 'form-data; name="file"; filename="a.txt"';
  const encoded = part(disposition, 'aGFsbw==', ['Content-Transfer-Encoding: base64']);
  const { result } = (await uploads.post(multipart(encoded))).json();
  expect(result).toMatchObject({ encoding: 'base64', filesize: '8 B' });
});

test('OPTIONS gets 204, and allows POST and DELETE from any origin', async () => {
  const { status, headers, body } = await uploads.send({ method: 'OPTIONS', path: '/upload' });
  expect(status).toBe(204);
  expect(body).toHaveLength(0);
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers['access-control-allow-methods']).toMatch(/\bPOST\b.*\bDELETE\b/u);
});

test.each([
  ['1h', HOUR_MS],
  ['90m', 1.5 * HOUR_MS],
  ['24h', DAY_MS],
  ['25h', DAY_MS],
  ['3650d', DAY_MS],
])('?expires=%s sets the expiry, up to UPLOAD_TTL', async (expires, lifeMs) => {
  const before = Date.now();
  const { result } = await uploads.upload('x', { path: `/upload?expires=${expires}` });
  expect(result.expired).toBeGreaterThanOrEqual(before + lifeMs);
  expect(result.expired).toBeLessThanOrEqual(Date.now() + lifeMs);
  expect(result.expiredFmt).toBe(inJakarta(result.expired));
});
