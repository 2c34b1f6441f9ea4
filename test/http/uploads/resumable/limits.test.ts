import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createdUpload,
  createUpload,
  OFFSET_STREAM,
  offsetOf,
  patch,
  reachResumeLimit,
  TUS,
} from '../../../support/resumable.ts';
import { filePart, multipart } from '../../../support/upload-body.ts';
import { KB, MB, openUploads, post, send, upload } from '../../../support/upload-client.ts';

const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
const open = (environment: Record<string, string> = {}) =>
  openUploads(onTestFinished, { TRUST_PROXY: '1', ...environment });

describe('creations', () => {
  test('count in the limiter together with POST /upload, and the requests that continue an upload do not', async () => {
    const { origin } = await open({ UPLOAD_RATE_LIMIT: '3' });
    const path = await createdUpload(origin, 10);
    await upload(origin, 'x');
    for (let at = 0; at < 6; at += 1)
      expect((await patch(origin, path, at, Buffer.from('x'))).status).toBe(204);
    expect((await createUpload(origin, 10_000_000_000)).answer.status).toBe(413);
    const { answer } = await createUpload(origin, 10);
    expect(answer.status).toBe(429);
    expect(answer.headers).toMatchObject({
      'ratelimit-policy': '"upload";q=3;w=60',
      'retry-after': expect.stringMatching(/^\d+$/u),
      'tus-resumable': '1.0.0',
      ratelimit: expect.stringMatching(/^"upload";r=0;t=\d+$/u),
    });
    expect((await post(origin, multipart(filePart('a', 'x')))).status).toBe(429);
  });

  test('of more than a share or the store can ever hold are refused', async () => {
    const { origin } = await open({ UPLOAD_ADDRESS_QUOTA: '1 MB', UPLOAD_MAX_SIZE: '2 MB' });
    expect((await createUpload(origin, MB + 1)).answer.status).toBe(507);
    await createdUpload(origin, MB);
  });

  test('count with the bytes that have arrived, until they are removed', async () => {
    const { origin } = await open({ UPLOAD_ADDRESS_QUOTA: '1 MB', UPLOAD_MAX_SIZE: '1 MB' });
    const [first, second] = [await createdUpload(origin, 900 * KB), await createdUpload(origin, 900 * KB)];
    expect((await patch(origin, first, 0, randomBytes(600 * KB))).status).toBe(204);
    expect((await patch(origin, second, 0, randomBytes(500 * KB))).status).toBe(507);
    expect(await offsetOf(origin, second)).toBe(0);
    await send(origin, { method: 'DELETE', path: first, headers: TUS });
    expect((await patch(origin, second, 0, randomBytes(900 * KB))).status).toBe(204);
    expect((await post(origin, multipart(filePart('a', randomBytes(200 * KB))))).status).toBe(507);
    expect((await send(origin, { method: 'DELETE', path: second, headers: TUS })).status).toBe(204);
    await createdUpload(origin, 900 * KB, { headers: OFFSET_STREAM, body: randomBytes(900 * KB) });
  });

  /** A file takes whole blocks with its description, and one that arrives by PATCH has a folder meanwhile. */
  test.each([
    ['PATCH', 5],
    ['POST', 5],
  ])('of small files by %s at once are stored as long as they fit', async (method, least) => {
    const { origin } = await open({ UPLOAD_ADDRESS_QUOTA: '1 MB', UPLOAD_RATE_LIMIT: '100' });
    const size = 100 * KB;
    const statuses = await Promise.all(
      Array.from({ length: 32 }, async () => {
        if (method === 'POST')
          return (await post(origin, multipart(filePart('a', randomBytes(size))))).status;
        const path = await createdUpload(origin, size);
        return (await patch(origin, path, 0, randomBytes(size))).status;
      }),
    );
    const stored = statuses.filter((status) => status < 300).length;
    expect(stored).toBeGreaterThanOrEqual(least);
    expect(stored).toBeLessThanOrEqual(9);
    expect(statuses.filter((status) => status === 507)).toHaveLength(32 - stored);
  });
});

test('requests about uploads are limited for each address to 2,000 in 10 s, and creations apart from them', async () => {
  const { origin } = await open();
  const path = await createdUpload(origin, 10, from('192.0.2.1'));
  const ask = (method: string, address = '192.0.2.1') =>
    send(origin, { method, path, headers: { ...OFFSET_STREAM, ...from(address).headers } });
  const headers = { ...OFFSET_STREAM, ...from('192.0.2.1').headers };
  const { clock, statuses } = await reachResumeLimit(onTestFinished, { origin, path, headers });
  expect(statuses).toEqual([200]);
  for (const method of ['HEAD', 'GET', 'PATCH', 'DELETE']) {
    const answer = await ask(method);
    expect([method, answer.status]).toEqual([method, 429]);
    expect(answer.headers).toMatchObject({ 'retry-after': '10', 'tus-resumable': '1.0.0' });
    expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
    if (method !== 'HEAD') expect(answer.json().message).toContain('try again in 10 s');
  }
  expect((await ask('OPTIONS')).status).toBe(204);
  expect((await createUpload(origin, 10, from('192.0.2.1'))).answer.status).toBe(201);
  expect((await ask('HEAD', '192.0.2.2')).status).toBe(200);
  clock.mockReturnValue(performance.now() + 10_001);
  expect((await ask('HEAD')).status).toBe(200);
}, 60_000);
