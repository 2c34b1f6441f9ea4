import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { createdUpload, OFFSET_STREAM, offsetOf } from '../support/resumable.ts';
import { openTestService } from '../support/service.ts';
import { untilEnd } from '../support/until-end.ts';
import { KB, MULTIPART, openSocket, upload } from '../support/upload-client.ts';
import { DIALECTS, formOf, neko } from '../support/upload-ways.ts';

const defer = untilEnd();
const origins: Record<string, string> = {};

beforeAll(async () => {
  const environment = { REFRESH_CRON: 'off', METRICS_PORT: '0', UPLOAD_RATE_LIMIT: '10000' };
  const { listing, uploads, operations } = await openTestService(defer, environment);
  Object.assign(origins, { listing, uploads, operations });
});

/** Sends all of a request and closes this side of the connection; resolves with all that is received. */
async function sendHalfClosed(origin: string, head: string[], body: Buffer | string = ''): Promise<string> {
  const { socket, received } = await openSocket(origin);
  const closed = once(socket, 'close');
  socket.write(`${[...head, 'Host: x'].join('\r\n')}\r\n\r\n`);
  socket.end(body);
  await closed;
  return received();
}

const lengthOf = (body: Buffer) => `Content-Length: ${body.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';
const inChunks = (body: Buffer) =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

const PATHS: [origin: string, path: string, status: number][] = [
  ['listing', '/', 503],
  ['listing', '/healthz', 200],
  ['listing', '/robots.txt', 200],
  ['listing', '/nothing/here', 404],
  ['listing', '/api/anime/events/stream', 200],
  ['uploads', '/', 200],
  ['uploads', '/readyz', 200],
  ['uploads', '/nothing/here', 404],
  ['operations', '/metrics', 200],
  ['operations', '/healthz', 200],
];

describe('a client that closes its side after its request is answered:', () => {
  test.each(PATHS)('GET and HEAD on the %s, %s', async (name, path, status) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await sendHalfClosed(origins[name]!, [`${method} ${path} HTTP/1.1`]);
      expect(response, method).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
    }
  });

  test('a download', async () => {
    const content = 'x'.repeat(3_000 * KB);
    const { file } = await upload(origins.uploads!, content);
    const response = await sendHalfClosed(origins.uploads!, [`GET ${file} HTTP/1.1`]);
    expect(response.endsWith(`\r\n\r\n${content}`)).toBe(true);
  });

  test('a download that is followed by text that is not HTTP', async () => {
    const content = 'x'.repeat(3_000 * KB);
    const { file } = await upload(origins.uploads!, content);
    const { socket, received } = await openSocket(origins.uploads!);
    const closed = once(socket, 'close');
    socket.pause().end(`GET ${file} HTTP/1.1\r\nHost: x\r\n\r\n\0garbage\r\n\r\n`);
    await sleep(500);
    socket.resume();
    await closed;
    const [head, ...rest] = received().split(content);
    expect(head).toMatch(/^HTTP\/1\.1 200 /u);
    expect(rest).toHaveLength(1);
  });

  test('requests that are pipelined', async () => {
    const request = 'GET /nothing/here HTTP/1.1\r\nHost: x\r\n\r\n';
    const response = await sendHalfClosed(origins.uploads!, [`${request}${request}GET /readyz HTTP/1.1`]);
    expect(response.match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 404', 'HTTP/1.1 200']);
  });

  test.each(Object.entries({ '/upload': { ...neko, path: '/upload' }, ...DIALECTS }))(
    'an upload to %s, with a length and in chunks',
    async (_name, dialect) => {
      const body = formOf(dialect, Buffer.alloc(200 * KB, 'x'));
      const head = [`POST ${dialect.path} HTTP/1.1`, `Content-Type: ${MULTIPART}`];
      expect(await sendHalfClosed(origins.uploads!, [...head, lengthOf(body)], body)).toMatch(
        /^HTTP\/1\.1 200 /u,
      );
      expect(await sendHalfClosed(origins.uploads!, [...head, CHUNKED], inChunks(body))).toMatch(
        /^HTTP\/1\.1 200 /u,
      );
    },
  );

  test('a resumable upload', async () => {
    const path = await createdUpload(origins.uploads!, 3);
    const headers = Object.entries(OFFSET_STREAM).map(([name, value]) => `${name}: ${value}`);
    const body = Buffer.from('x');
    for (const [offset, framing, bytes] of [
      [0, lengthOf(body), body],
      [1, CHUNKED, inChunks(body)],
    ] as const) {
      const head = [`PATCH ${path} HTTP/1.1`, ...headers, `Upload-Offset: ${offset}`, framing];
      expect(await sendHalfClosed(origins.uploads!, head, bytes)).toMatch(/^HTTP\/1\.1 204 /u);
    }
    expect(await offsetOf(origins.uploads!, path)).toBe(2);
  });

  test('a refusal', async () => {
    const body = Buffer.alloc(100 * KB);
    for (const framing of [lengthOf(body), CHUNKED]) {
      const head = ['POST /upload HTTP/1.1', 'Content-Type: text/plain', framing];
      const sent = framing === CHUNKED ? inChunks(body) : body;
      expect(await sendHalfClosed(origins.uploads!, head, sent)).toMatch(/^HTTP\/1\.1 415 .*\}$/su);
    }
  });
});

test('a client that closes its side in the middle of a body gets 400', async () => {
  const head = ['POST /upload HTTP/1.1', `Content-Type: ${MULTIPART}`, 'Content-Length: 1000'];
  expect(await sendHalfClosed(origins.uploads!, head, 'half')).toMatch(/^HTTP\/1\.1 400 .*\}$/su);
});
