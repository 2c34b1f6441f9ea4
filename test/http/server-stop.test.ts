import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createLingering } from '../../src/http/server/linger.ts';
import { refuseSocket } from '../../src/http/server/refuse.ts';
import { type HttpServer, openServer } from '../../src/http/server.ts';

const SHUTDOWN = { delayMs: 0, idleMs: 200, graceMs: 600_000 };

async function open(
  listener: RequestListener = (_request, response) => void response.end('hi'),
): Promise<HttpServer> {
  const server = await openServer({ host: '127.0.0.1', port: 0 }, listener);
  onTestFinished(() => server.close());
  return server;
}

/** Opens a connection that stays half open when the server ends it, like that of a hostile client. */
async function join({ port }: { port: number }, text = ''): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  if (text) socket.write(text);
  return socket;
}

async function isRefused({ port }: { port: number }): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return once(socket, 'connect').then(
    () => false,
    () => true,
  );
}

test.each([
  ['has sent nothing', ''],
  ['has sent half of its headers', 'GET / HTTP/1.1\r\nHost: x\r\nX-Half'],
  ['has sent less than a line', 'GE'],
])('a server stops soon when a connection %s', async (_what, text) => {
  const server = await open();
  await join(server, text);
  const answered = await join(server, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(answered, 'data');
  answered.write(text);
  await server.close(SHUTDOWN);
});

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

test('a connection that is idle when a server stops has time for one more request, whose answer ends it', async () => {
  const server = await open();
  const socket = await join(server, GET);
  const [first] = await once(socket, 'data');
  expect(first).toContain('Connection: keep-alive');
  const stopped = server.close({ ...SHUTDOWN, idleMs: 10_000 });
  await expect.poll(() => isRefused(server)).toBe(true);
  socket.write(GET);
  expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 OK.*Connection: close.*hi$/su);
  await stopped;
});

test('a refused connection is closed completely, even when its client keeps it half open', async () => {
  const closed = Promise.withResolvers<void>();
  const refusal = { status: 400, message: 'this request cannot be read' };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.once('close', () => closed.resolve());
    refuseSocket(socket, refusal, { lingering: createLingering(), client: '' });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const socket = await join(server.address() as AddressInfo);
  await once(socket.resume(), 'end');
  await closed.promise;
});
