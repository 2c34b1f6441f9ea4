import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createdUpload, OFFSET_STREAM, patch, TUS } from '../../../support/resumable.ts';
import { openTestS3 } from '../../../support/s3.ts';
import { temporaryFolder } from '../../../support/service.ts';
import { filesIn, KB, MB, openSocket, openUploads, send, untilEnd } from '../../../support/upload-client.ts';

const defer = untilEnd();
const MAX_SIZE = { UPLOAD_MAX_SIZE: '20 MB', UPLOAD_ADDRESS_QUOTA: '10 GB', UPLOAD_RATE_LIMIT: '10000' };

const head = (origin: string, path: string) => send(origin, { method: 'HEAD', path, headers: TUS });

/** The files or objects of the storage. */
let stored: () => Promise<string[]>;

/**
 * Begins a PATCH whose client vanishes: these bytes arrive, and the connection stays open. Resolves once the upload is being
 * written to.
 */
async function beginPatch(origin: string, path: string, offset: number, bytes: Buffer, more = {}) {
  const { socket, received } = await openSocket(origin);
  const headers = { Host: 'x', ...OFFSET_STREAM, 'Upload-Offset': offset, ...more };
  const lines = Object.entries({ ...headers, 'Content-Length': 19 * MB });
  socket.write(`PATCH ${path} HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n`);
  socket.write(bytes);
  await expect.poll(async () => (await stored()).some((name) => name.endsWith('/writer'))).toBe(true);
  return { socket, received };
}

describe.each([
  [
    'on a disk',
    async () => {
      const DATA_DIR = await temporaryFolder(defer);
      stored = () => filesIn(DATA_DIR);
      return { DATA_DIR };
    },
  ],
  [
    'on S3',
    async () => {
      const s3 = await openTestS3(defer);
      stored = async () => s3.keys();
      return { UPLOAD_STORAGE_URL: s3.url() };
    },
  ],
])('%s, after a change of network,', (_storage, open) => {
  let first: string;
  let second: string;

  beforeAll(async () => {
    const environment = { ...MAX_SIZE, ...(await open()) };
    first = (await openUploads(defer, environment)).origin;
    second = (await openUploads(defer, environment)).origin;
  });

  describe.each([
    ['the same process', () => first],
    ['another process', () => second],
  ])('in %s,', (_process, other) => {
    test.each([1, 300 * KB, 7 * MB])(
      'HEAD says what is kept of %i bytes, the next PATCH fits, and the old connection gets 423',
      async (size) => {
        const bytes = randomBytes(size + 10);
        const path = await createdUpload(first, bytes.length);
        const old = await beginPatch(first, path, 0, bytes.subarray(0, size));
        const answer = await head(other(), path);
        expect(answer.status).toBe(200);
        const offset = Number(answer.headers['upload-offset']);
        expect(offset).toBe(size);
        await expect.poll(old.received).toMatch(/^HTTP\/1\.1 423/u);
        // What arrives late on the old connection changes nothing.
        old.socket.write(randomBytes(5));
        expect((await head(other(), path)).headers['upload-offset']).toBe(String(offset));
        const next = await patch(other(), path, offset, bytes.subarray(offset));
        expect(next.status, next.text).toBe(204);
        const { url_file } = (await send(other(), { path })).json().result;
        const file = await send(first, { path: new URL(url_file).pathname });
        expect(file.body.equals(bytes)).toBe(true);
      },
    );

    test('HEAD says what was kept before a body with a checksum, none of which counts', async () => {
      const path = await createdUpload(first, 100);
      expect((await patch(first, path, 0, randomBytes(10))).status).toBe(204);
      const checksum = { 'Upload-Checksum': `sha1 ${randomBytes(20).toString('base64')}` };
      await beginPatch(first, path, 10, randomBytes(20), checksum);
      expect((await head(other(), path)).headers['upload-offset']).toBe('10');
      expect((await patch(other(), path, 10, randomBytes(90))).status).toBe(204);
    });
  });
});

test('an upload is created at the address of the protocol with a slash, as the examples of tus-js-client have it', async () => {
  const { origin } = await openUploads(onTestFinished);
  const headers = { ...TUS, 'Upload-Length': '3' };
  const created = await send(origin, { method: 'POST', path: '/files/?expires=1h', headers });
  expect(created.status, created.text).toBe(201);
  const { pathname } = new URL(String(created.headers.location));
  expect(pathname).toMatch(/^\/files\/[0-9a-z]{33}$/u);
  expect((await patch(origin, pathname, 0, Buffer.from('abc'))).status).toBe(204);
  const preflight = await send(origin, { method: 'OPTIONS', path: '/files/' });
  expect(preflight.status).toBe(204);
  expect(preflight.headers['tus-version']).toBe('1.0.0');
  expect((await send(origin, { path: '/files/' })).status).toBe(405);
});
