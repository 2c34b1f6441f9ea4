import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLingering, type LingerLimits } from '../../src/http/server/linger.ts';
import { refuse } from '../../src/http/server/refuse.ts';
import { openServer } from '../../src/http/server.ts';
import { MB, openSocket } from '../support/upload-client.ts';

const REFUSAL = { status: 413, message: 'the body is too large; send less' };

/** No limit that a test reaches, except those that it sets. */
const GENEROUS: LingerLimits = {
  bytesPerSecond: 1,
  graceMs: 600_000,
  maxMs: 600_000,
  maxBytes: 1_000 * MB,
  maxPerClient: 100,
  othersMs: 600_000,
};

/** Refuses every request for the client that its path names. */
async function open(limits: Partial<LingerLimits>): Promise<string> {
  const lingering = createLingering({ ...GENEROUS, ...limits });
  const server = await openServer({ host: '127.0.0.1', port: 0 }, (request, response) =>
    refuse(response, REFUSAL, { lingering, client: request.url ?? '' }),
  );
  onTestFinished(() => server.close());
  return server.address;
}

interface Sender {
  path?: string;
  framing?: string;
}

const CHUNKED = 'Transfer-Encoding: chunked';

/** Begins a request, and resolves once it is refused, while its body is still to come. */
async function begin(origin: string, { path = '/', framing = CHUNKED }: Sender = {}) {
  const { socket, received } = await openSocket(origin);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
  await expect.poll(received).toMatch(/^HTTP\/1\.1 413 .*\}$/su);
  return socket;
}

/** Sends pieces of 64 KB until the connection ends; resolves with how many bytes were sent. */
async function sendOn(socket: Awaited<ReturnType<typeof begin>>): Promise<number> {
  const piece = Buffer.alloc(64 * 1024);
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]);
  for (; !socket.closed; await sleep(5)) if (socket.writableLength === 0) socket.write(chunk);
  return socket.bytesWritten;
}

describe('what comes after a refusal is read', () => {
  test.each([CHUNKED, `Content-Length: ${20 * MB}`])('until it slows down (%s)', async (framing) => {
    const socket = await begin(await open({ bytesPerSecond: MB, graceMs: 500 }), { framing });
    socket.write('10000\r\n');
    await once(socket, 'close');
  });

  test('for a time, where its length is not declared', async () => {
    const socket = await begin(await open({ maxMs: 1_000 }));
    expect(await sendOn(socket)).toBeGreaterThan(64 * 1024);
  });

  test('for a time, where its declared length is above the limit', async () => {
    const origin = await open({ maxMs: 1_000, maxBytes: MB });
    await once(await begin(origin, { framing: `Content-Length: ${2 * MB}` }), 'close');
  });

  test('to its end, where its length is declared', async () => {
    const origin = await open({ maxMs: 300, maxBytes: MB });
    const socket = await begin(origin, { framing: `Content-Length: ${MB}` });
    socket.write(Buffer.alloc(MB - 1));
    await sleep(1_500);
    expect(socket.closed).toBe(false);
    socket.write('x');
    await once(socket, 'end');
  });

  test.each([CHUNKED, `Content-Length: ${MB}`, 'Transfer-Encoding: gzip'])(
    'until its client goes away (%s)',
    async (framing) => {
      const origin = await open({ maxPerClient: 1, othersMs: 300 });
      for (let round = 0; round < 3; round += 1) {
        const { socket, received } = await openSocket(origin);
        socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
        await expect.poll(received).toMatch(/^HTTP\/1\.1 (?:413|501) .*\}$/su);
        socket.end('1');
        await once(socket, 'close');
      }
      // All places are free again.
      const socket = await begin(origin);
      await sleep(1_000);
      expect(socket.closed).toBe(false);
    },
  );

  test('until there is too much of it', async () => {
    const socket = await begin(await open({ maxBytes: 4 * MB }));
    expect(await sendOn(socket)).toBeGreaterThan(4 * MB);
  });

  test('for two bodies of a client, and for a moment of others', async () => {
    const origin = await open({ maxPerClient: 2, othersMs: 300 });
    const [first, second] = [await begin(origin), await begin(origin)];
    const third = await begin(origin);
    const other = await begin(origin, { path: '/other' });
    await once(third, 'close');
    expect([first, second, other].map((socket) => socket.closed)).toEqual([false, false, false]);
    first.write('0\r\n\r\n');
    await once(first, 'close');
    // Its place is free again.
    const fourth = await begin(origin);
    await once(await begin(origin), 'close');
    expect([second, fourth].map((socket) => socket.closed)).toEqual([false, false]);
  });
});
