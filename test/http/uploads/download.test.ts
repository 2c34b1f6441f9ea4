import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { setClock } from '../../support/set-clock.ts';
import { MB, openOnce, openUploads } from '../../support/upload-client.ts';

const BYTES = randomBytes(MB + 200_017);
const SIZE = BYTES.length;
const TAG = `"${createHash('sha256').update(BYTES).digest('hex')}"`;

let path: string;

const uploads = openOnce(openUploads);

beforeAll(async () => {
  ({ file: path } = await uploads.upload(BYTES, { name: 'rekaman.bin' }));
});

const get = (headers: Record<string, string> = {}, method = 'GET') => uploads.send({ method, path, headers });

describe('a file', () => {
  test('is sent whole, with its length, its tag and its name', async () => {
    const { status, headers, body } = await get();
    expect(status).toBe(200);
    expect(body.equals(BYTES)).toBe(true);
    expect(headers).toMatchObject({
      'content-length': String(SIZE),
      'accept-ranges': 'bytes',
      'cache-control': 'no-cache',
      'x-robots-tag': 'noindex',
      'access-control-allow-origin': '*',
      etag: TAG,
      'content-disposition': expect.stringContaining('rekaman.bin'),
    });
    expect(Date.parse(headers['last-modified'] ?? '')).toBeLessThanOrEqual(Date.now());
  });

  test('has the same headers for HEAD, and no body', async () => {
    const [whole, head] = [await get(), await get({}, 'HEAD')];
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect({ ...head.headers, date: '' }).toEqual({ ...whole.headers, date: '' });
  });

  test('that is newer than the clock, which was set back, is dated now', async () => {
    setClock(Date.now());
    const other = await openUploads(onTestFinished);
    const { file } = await other.upload();
    setClock(Date.now() - 60_000);
    const { headers } = await other.send({ path: file });
    expect(headers['last-modified']).toBe(new Date().toUTCString());
    const since = { 'If-Modified-Since': String(headers['last-modified']) };
    expect((await other.send({ path: file, headers: since })).status).toBe(304);
  });

  test('without bytes is served', async () => {
    const { file } = await uploads.upload('');
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await uploads.send({ method, path: file });
      expect([status, headers['content-length'], body.length]).toEqual([200, '0', 0]);
    }
  });

  test.each(['halo', BYTES])('is complete for a GET with a body that arrives later', async (content) => {
    const { file } = await uploads.upload(content);
    const { socket } = await uploads.openSocket();
    const closed = once(socket, 'close');
    const chunks: Buffer[] = [];
    socket.setEncoding('latin1').on('data', (text) => chunks.push(Buffer.from(String(text), 'latin1')));
    socket.write(`GET ${file} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n`);
    await expect.poll(() => chunks.length).toBeGreaterThan(0);
    socket.write('ab');
    await closed;
    const answer = Buffer.concat(chunks);
    const body = answer.subarray(answer.indexOf('\r\n\r\n') + 4);
    expect(body.equals(Buffer.from(content))).toBe(true);
    await expect.poll(uploads.held).toHaveLength(0);
  });
});
