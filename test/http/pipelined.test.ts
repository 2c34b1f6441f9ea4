import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { openServer } from '../../src/http/server.ts';
import { scrape } from '../support/metrics.ts';
import { eventually, openTestService } from '../support/service.ts';
import { openSocket } from '../support/upload-client.ts';

async function open(listener: RequestListener): Promise<string> {
  const server = await openServer({ host: '127.0.0.1', port: 0 }, listener);
  onTestFinished(() => server.close());
  return server.address;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/gu)].map(([, status]) => status);
const shows = (received: () => string, text: string) =>
  eventually(
    async () => received(),
    (now) => now.includes(text),
  );

test('a pipelined request is handled once the response before it has been sent', async () => {
  const begun: string[] = [];
  const finish: (() => void)[] = [];
  const origin = await open(({ url = '' }, response) => {
    begun.push(url);
    finish.push(() => void response.end(`${url} is over;`));
  });
  const { socket, received } = await openSocket(origin);
  socket.write(get('/1') + get('/2') + get('/3'));
  for (const path of ['/1', '/2', '/3']) {
    await expect.poll(() => begun.at(-1)).toBe(path);
    finish.shift()?.();
    await shows(received, `${path} is over;`);
  }
  expect(begun).toEqual(['/1', '/2', '/3']);
});

test('of pipelined streams one takes a place, and gives it back when its client is gone', async () => {
  const { listing, operations } = await openTestService(onTestFinished, { METRICS_PORT: '0' });
  const clients = async () => (await scrape(operations)).sample('tayang_event_clients');
  const stream = get('/api/anime/events/stream');
  const sockets = await Promise.all(
    [1, 2, 3].map(async () => {
      const { socket, received } = await openSocket(listing);
      socket.write(stream.repeat(40));
      await shows(received, 'retry:');
      return socket;
    }),
  );
  // What is pipelined has arrived with the first request.
  expect(await clients()).toBe(3);
  for (const socket of sockets) socket.destroy();
  await expect.poll(clients).toBe(0);
});

test('requests that wait behind one that is not over end the connection when there are too many', async () => {
  let begun = 0;
  const origin = await open((_request, response) => {
    begun += 1;
    response.write('.');
  });
  const { socket } = await openSocket(origin);
  socket.write(get('/').repeat(66));
  await once(socket, 'close');
  expect(begun).toBe(1);
});

test('what waits is not carried out when the connection ends', async () => {
  const begun: string[] = [];
  const closed = Promise.withResolvers<void>();
  const origin = await open(({ url = '' }, response) => {
    begun.push(url);
    response.once('close', () => closed.resolve()).write('.');
  });
  const { socket, received } = await openSocket(origin);
  socket.write(get('/1') + get('/2'));
  await shows(received, '.');
  // A client that closes its side alone gets all of its responses.
  socket.resetAndDestroy();
  await closed.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['/1']);
});

const BROKEN: [string, string, string][] = [
  ['text that is not HTTP', '\0garbage\r\n\r\n', '400'],
  ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', '405'],
  ['an unknown coding', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\nxx', '400'],
  ['a broken chunk', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', '400'],
  ['another expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', '417'],
];

test.each(BROKEN)('%s is refused after the whole response before it', async (_what, request, status) => {
  const begun: string[] = [];
  const finish = Promise.withResolvers<() => void>();
  const origin = await open(({ url = '' }, response) => {
    begun.push(url);
    response.writeHead(200, { 'Content-Length': 10 }).write('12345');
    finish.resolve(() => void response.end('67890'));
  });
  const { socket, received } = await openSocket(origin);
  socket.write(get('/1') + request);
  await shows(received, '12345');
  (await finish.promise)();
  await once(socket, 'close');
  expect(received()).toMatch(/1234567890HTTP\/1\.1/u);
  expect(statuses(received())).toEqual(['200', status]);
  expect(begun).toEqual(['/1']);
});
