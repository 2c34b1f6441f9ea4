import { once } from 'node:events';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTestService } from '../support/service.ts';
import { untilEnd } from '../support/until-end.ts';
import { openSocket, send, upload } from '../support/upload-client.ts';
import REFUSED from './refused-requests.json' with { type: 'json' };

const defer = untilEnd();
const origins: Record<string, string> = {};

beforeAll(async () => {
  const environment = { REFRESH_CRON: 'off', METRICS_PORT: '0' };
  const { listing, uploads, operations } = await openTestService(defer, environment);
  Object.assign(origins, { listing, uploads, operations });
});

const LONG = 'x'.repeat(40_000);
/** One for each way to be refused. */
const REQUESTS = [
  ...(REFUSED as [string, number, string][]),
  ['a long address', 431, `GET /${LONG} HTTP/1.1\r\nHost: a\r\n\r\n`] as const,
];

async function expectRefused(origin: string, request: string, status: number): Promise<void> {
  const { socket, received } = await openSocket(origin);
  const closed = once(socket, 'end');
  socket.write(request, 'latin1');
  await closed;
  const [head = '', body = ''] = received().split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
  for (const header of [
    /^Content-Type: application\/json/imu,
    /^X-Content-Type-Options: nosniff/imu,
    /^Cache-Control: no-store/imu,
    /^Connection: close/imu,
  ]) {
    expect(head).toMatch(header);
  }
  expect(JSON.parse(body)).toEqual({ status: false, message: expect.stringMatching(/.{20}/u) });
}

describe.each(['listing', 'uploads', 'operations'])('the server of the %s', (name) => {
  test.each(REQUESTS)(
    'answers %s with a JSON error, %i, and closes the connection',
    (_what, status, request) => expectRefused(origins[name]!, request, status),
  );

  test('answers HTTP/1.0 without Host, and IPv6 hosts', async () => {
    for (const request of [
      'GET /nothing/here HTTP/1.0\r\n\r\n',
      'GET /nothing/here HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n',
      'GET /nothing/here HTTP/1.1\r\nHost: a_b.example:3000\r\nConnection: close\r\n\r\n',
    ]) {
      const { socket, received } = await openSocket(origins[name]!);
      const closed = once(socket, 'end');
      socket.write(request);
      await closed;
      expect(received()).toMatch(/^HTTP\/1\.1 404 /u);
    }
  });
});

test('GET and HEAD with a body that never arrives get a complete response', async () => {
  const { page } = await upload(origins.uploads!, 'halo');
  const ask = async (method: string, path: string) => {
    const whole = await send(origins.uploads!, { method, path });
    const { socket, received } = await openSocket(origins.uploads!);
    const closed = once(socket, 'close');
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n`);
    await closed;
    const [headers = '', ...body] = received().split('\r\n\r\n');
    expect(headers).toMatch(new RegExp(`^content-length: ${whole.headers['content-length']}$`, 'imu'));
    expect(body.join('\r\n\r\n')).toBe(whole.text);
  };
  const paths = ['/nothing/here', page];
  await Promise.all(['GET', 'HEAD'].flatMap((method) => paths.map((path) => ask(method, path))));
});

/** By the time that another deletion has been answered, the one before would have been carried out. */
async function expectNotDeleted(file: string): Promise<void> {
  const other = await upload(origins.uploads!, 'halo');
  const answer = await send(origins.uploads!, { method: 'DELETE', path: other.deletion });
  expect(answer.status).toBe(204);
  expect((await send(origins.uploads!, { path: file })).status).toBe(200);
}

test('a request after a response that ends the connection is not carried out', async () => {
  const { file, deletion } = await upload(origins.uploads!, 'halo');
  const { socket, received } = await openSocket(origins.uploads!);
  const answered = once(socket, 'data');
  socket.write('POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nha');
  await answered;
  socket.write(`lo!DELETE ${deletion} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await once(socket, 'close');
  expect(received().match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 415']);
  await expectNotDeleted(file);
});

test('a refused client that continues to send gets the response', async () => {
  const { socket, received } = await openSocket(origins.listing!);
  socket.write('HELLO\r\n\r\n');
  for (let round = 0; round < 50; round += 1) socket.write(LONG);
  await once(socket, 'close');
  expect(received()).toMatch(/^HTTP\/1\.1 400 .*\}$/su);
});
