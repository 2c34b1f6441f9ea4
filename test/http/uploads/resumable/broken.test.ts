import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openBody } from '../../../../src/http/uploads/resumable/read-body.ts';
import { createdUpload, OFFSET_STREAM, offsetOf, patch, TUS } from '../../../support/resumable.ts';
import { KB, MB, openOnce, openSocket, openUploads, send } from '../../../support/upload-client.ts';

type ReadAppend = Parameters<ReturnType<typeof openBody>['read']>[0];

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
  await expect.poll(() => offsetOf(origin, path)).toBeGreaterThan(0);
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

/** Reads the body of one PATCH in a server of its own. Resolves with how that ended; `beforeRead` is awaited first. */
async function readOne(
  append: ReadAppend,
  begin: (socket: Socket) => void,
  beforeRead = async (_request: IncomingMessage) => {},
) {
  const ended = Promise.withResolvers<unknown>();
  const server = createServer(async (request, response) => {
    const { read } = openBody(request, response);
    await beforeRead(request);
    read(append, new AbortController().signal).then(ended.resolve, ended.resolve);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  begin(socket);
  return ended.promise;
}

test('bytes that arrived while the sender had to wait are passed on when its connection breaks off', async () => {
  let bytes = 0;
  const stored = Promise.withResolvers<void>();
  const append = (chunk: Buffer) => {
    bytes += chunk.length;
    return stored.promise;
  };
  const begin = (socket: Socket) => {
    socket.write(`${patchHead('/', { 'Content-Length': MB })}abc`);
    setTimeout(() => socket.end(Buffer.alloc(5_000)), 50);
    setTimeout(stored.resolve, 200);
  };
  expect(await readOne(append, begin)).toMatchObject({ code: 'invalid-request' });
  expect(bytes).toBe(5_003);
});

test('bytes that came before the body was read stay in front of later ones when the connection breaks off', async () => {
  const sender = Promise.withResolvers<Socket>();
  const receiver = Promise.withResolvers<IncomingMessage>();
  const appended: string[] = [];

  /** Storing the first bytes takes until the connection has broken off, with one more byte on its way. */
  async function breakOff(): Promise<void> {
    const [socket, request] = await Promise.all([sender.promise, receiver.promise]);
    socket.write('c');
    await expect.poll(() => request.readableLength).toBeGreaterThan(0);
    socket.destroy();
    await expect.poll(() => request.destroyed).toBe(true);
  }
  const append = async (chunk: Buffer) => {
    appended.push(chunk.toString());
    if (appended.length === 1) await breakOff();
  };
  const begin = (socket: Socket) => {
    sender.resolve(socket);
    socket.write(`${patchHead('/', { 'Content-Length': 1000 })}a`);
  };
  const beforeRead = async (request: IncomingMessage) => {
    receiver.resolve(request);
    await once(request, 'data');
    (await sender.promise).write('b');
    await once(request, 'data');
  };
  expect(await readOne(append, begin, beforeRead)).toMatchObject({ code: 'invalid-request' });
  expect(appended).toEqual(['a', 'b', 'c']);
});

test('no request above logged an error', () => {
  expect(uploads.failures).toEqual([]);
});
