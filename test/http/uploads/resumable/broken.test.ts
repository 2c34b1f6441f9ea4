import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { readBody } from '../../../../src/http/request-body.ts';
import { openHttpServer } from '../../../support/http-server.ts';
import { createdUpload, OFFSET_STREAM, offsetOf, patch, TUS } from '../../../support/resumable.ts';
import { KB, MB, openOnce, openSocket, openUploads, send } from '../../../support/upload-client.ts';

const LIMITS = { UPLOAD_MAX_SIZE: '10 MB', UPLOAD_ADDRESS_QUOTA: '10 GB' };
const uploads = openOnce((defer) => openUploads(defer, LIMITS));
let origin: string;

beforeAll(() => {
  origin = uploads.origin;
});

function patchHead(path: string, more: Record<string, string | number>): string {
  const lines = Object.entries({ Host: 'x', ...OFFSET_STREAM, 'Upload-Offset': 0, ...more });
  return `PATCH ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** A PATCH of which so many bytes have been sent over a socket. */
async function beginPatch(path: string, bytes: Buffer, length: number) {
  const { socket, received } = await openSocket(origin);
  socket.write(patchHead(path, { 'Content-Length': length }));
  socket.write(bytes);
  return { socket, received };
}

test.each([1, 1000, 127 * KB, 128 * KB, 129 * KB, 3 * MB])(
  'keeps all of %i bytes of a connection that breaks off',
  async (size) => {
    const bytes = randomBytes(5 * MB);
    const path = await createdUpload(origin, bytes.length);
    const { socket } = await beginPatch(path, bytes.subarray(0, size), bytes.length);
    socket.end();
    await expect.poll(() => offsetOf(origin, path)).toBe(size);
    const rest = await patch(origin, path, size, bytes.subarray(size));
    expect(rest.status, rest.text).toBe(204);
    const { url_file } = (await send(origin, { path })).json().result;
    expect((await send(origin, { path: new URL(url_file).pathname })).body.equals(bytes)).toBe(true);
  },
);

test('an upload that is removed while bytes arrive is gone, and their sender gets 423', async () => {
  const path = await createdUpload(origin, MB);
  const { received } = await beginPatch(path, randomBytes(600 * KB), MB);
  await expect.poll(async () => (await uploads.kept()).some((file) => file.endsWith('/bytes'))).toBe(true);
  expect((await send(origin, { method: 'DELETE', path, headers: TUS })).status).toBe(204);
  await expect.poll(received).toMatch(/^HTTP\/1\.1 423/u);
  expect(await offsetOf(origin, path)).toBe(-1);
});

test('a refusal reaches a client that is still sending', async () => {
  const path = await createdUpload(origin, 9 * MB);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const headers = { ...OFFSET_STREAM, 'Upload-Offset': '5' };
    const response = await fetch(`${origin}${path}`, { method: 'PATCH', headers, body: randomBytes(8 * MB) });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ status: false });
  }
});

test('a refusal comes before the body when the client waits for 100 Continue', async () => {
  const path = await createdUpload(origin, 9 * MB);
  for (const [more, status] of [
    [{ 'Content-Type': 'image/png' }, 415],
    [{ 'Upload-Offset': 7 }, 409],
  ] as const) {
    const { socket, received } = await openSocket(origin);
    socket.write(patchHead(path, { Expect: '100-continue', 'Content-Length': 9 * MB, ...more }));
    await expect.poll(received).toContain(`HTTP/1.1 ${status}`);
    expect(received()).not.toContain('100 Continue');
  }
});

test.each([0, 100])(
  'bytes that arrived while nobody read them, for %i ms, are passed on when their connection breaks off',
  async (pauseMs) => {
    const received: string[] = [];
    const ended = Promise.withResolvers<unknown>();
    const app = new Koa().use(async (ctx) => {
      await sleep(pauseMs);
      const reading = Array.fromAsync(readBody(ctx), async (bytes) => {
        received.push(String(bytes));
        await sleep(200);
      });
      await reading.then(ended.resolve, ended.resolve);
    });
    const { socket } = await openSocket(await openHttpServer(onTestFinished, app.callback()));
    socket.write(`${patchHead('/', { 'Content-Length': MB })}a`);
    for (const next of ['b', 'c']) {
      await sleep(20);
      socket.write(next);
    }
    socket.end('d');
    expect(await ended.promise).toMatchObject({ code: 'invalid-request' });
    expect(received.join('')).toBe('abcd');
  },
);

test('no request above logged an error', () => {
  expect(uploads.failures).toEqual([]);
});
