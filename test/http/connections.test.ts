import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readDescriptorLimit, shareConnections } from '../../src/http/server/connection-shares.ts';
import { openServer, type ServerLimits } from '../../src/http/server.ts';
import { ask, connectFrom, GET } from '../support/clients.ts';
import { scrape } from '../support/metrics.ts';
import { eventually, openTestService } from '../support/service.ts';
import { openSocket, send } from '../support/upload-client.ts';

const SHORT: ServerLimits = { requestMs: 0, headersMs: 300, keepAliveMs: 300, checkEveryMs: 50 };

const answer: RequestListener = async (request, response) => {
  if (request.url === '/slow') await sleep(1_500);
  if (request.url === '/endless') return void response.write('hello');
  response.end('hello');
};

async function open(limits: ServerLimits = {}): Promise<string> {
  const server = await openServer({ host: '127.0.0.1', port: 0 }, answer, { ...SHORT, ...limits });
  onTestFinished(() => server.close());
  return server.address;
}

/** Resolves when the connection is closed, also after an error. */
const closed = async (socket: Socket) =>
  socket.closed || new Promise((resolve) => void socket.once('close', resolve));

/** Writes `first`, then `again` repeatedly, until the connection closes. */
async function drip(origin: string, first: string, again = '', everyMs = 60): Promise<void> {
  const { socket } = await openSocket(origin);
  socket.write(first);
  const timer = setInterval(() => void (again && socket.write(again)), everyMs);
  onTestFinished(() => clearInterval(timer));
  await closed(socket);
  clearInterval(timer);
}

describe('a connection is closed in time when a client', () => {
  /** What a client sends at first, and then again and again. */
  const CLIENTS: Record<string, [string, string?]> = {
    'sends nothing': [''],
    'sends line ends only': ['\r\n', '\r\n'],
    'begins a request and stops': ['GET / HTTP/1.1\r\n'],
    'sends its headers too slowly': ['GET / HTTP/1.1\r\n', 'X-A: b\r\n'],
    'sends nothing after its first request': [GET],
    'sends line ends only after its first request': [GET, '\r\n'],
    'sends the headers of its second request too slowly': [`${GET}GET / HTTP/1.1\r\n`, 'X-A: b\r\n'],
    'sends an endless body': ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n', 'x'],
  };

  // One that stays open is one for longer than the time of a test.
  test('sends too little or too slowly, in whichever way', async () => {
    const origin = await open();
    await Promise.all(Object.values(CLIENTS).map(([first, again]) => drip(origin, first, again)));
  });

  test('has no request in flight, but not while it has one', async () => {
    const answered = await send(await open(), { path: '/slow' });
    expect(answered.text).toBe('hello');
  });
});

describe('a server beyond its limit of connections', () => {
  /** Opens connections with a response that does not end. */
  const hold = async (origin: string, count: number) => {
    const held = await Promise.all(Array.from({ length: count }, () => openSocket(origin)));
    await Promise.all(
      held.map(({ socket, received }) => {
        socket.write(GET.replace('/', '/endless'));
        return eventually(
          async () => received(),
          (text) => text.includes('hello'),
        );
      }),
    );
    return held.map(({ socket }) => socket);
  };
  const calm = { headersMs: 60_000, keepAliveMs: 60_000 };

  test.each<[string, ServerLimits]>([
    ['in total', { max: 5 }],
    ['for one client', { max: 100, maxPerClient: 5 }],
    ['for one site', { max: 100, maxPerClient: 2.5, networksOf: () => [randomUUID(), 'site'] }],
  ])('answers 503 until a connection is closed (%s)', async (_, limits) => {
    const origin = await open({ ...calm, ...limits });
    const [first] = await hold(origin, 5);
    for (const body of [undefined, Buffer.alloc(1_000_000)]) {
      const refused = await send(origin, { method: body ? 'POST' : 'GET', body: body as Buffer });
      expect(refused.status).toBe(503);
      expect(refused.json()).toEqual({ status: false, message: expect.stringMatching(/connections/u) });
      expect(refused.headers).toMatchObject({
        'cache-control': 'no-store',
        'retry-after': '10',
        connection: 'close',
      });
    }
    // A client that only closes its side would still get its response.
    first?.resetAndDestroy();
    await expect.poll(() => send(origin, {})).toMatchObject({ status: 200 });
  });
});

const KINDS_OF_IDLENESS: [what: string, begin: string][] = [
  ['have sent nothing', ''],
  ['have begun a request', 'GET / HTTP/1.1\r\nHo'],
  ['have had a response', GET],
];

describe('when all connections are taken', () => {
  test.each(KINDS_OF_IDLENESS)('by clients that %s, newcomers are answered', async (_what, begin) => {
    const closed: [string, number][] = [];
    const limits = { max: 20, maxPerClient: 5, headersMs: 60_000, keepAliveMs: 60_000 };
    const origin = await open({ ...limits, onClosed: (...reason) => closed.push(reason) });
    const flood = async (address: string) => {
      for (const socket of await connectFrom(origin, address, 5)) socket.resume().write(begin);
    };
    for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']) await flood(address);
    for (let client = 10; client < 20; client += 1)
      expect(await ask(origin, `127.0.0.${client}`)).toMatch(/^HTTP\/1\.1 200 .*hello$/su);
    await expect.poll(() => closed[0]?.[0]).toBe('made-room');
  });

  test('the client that has most makes place, with the connection that it has not used for longest', async () => {
    const origin = await open({ max: 6, headersMs: 60_000, keepAliveMs: 60_000 });
    const [few] = await connectFrom(origin, '127.0.0.2', 1);
    const most = await connectFrom(origin, '127.0.0.3', 5);
    most[0]!.write(GET);
    await once(most[0]!, 'data');
    await ask(origin, '127.0.0.4');
    await expect.poll(() => most[1]!.closed).toBe(true);
    expect([few!, most[0]!, ...most.slice(2)].map((socket) => socket.closed)).not.toContain(true);
  });

  test('no connection with a request in flight makes place', async () => {
    const origin = await open({ max: 4, headersMs: 60_000, keepAliveMs: 60_000 });
    const busy = await connectFrom(origin, '127.0.0.2', 4);
    for (const socket of busy) {
      socket.write(GET.replace('/', '/endless'));
      await once(socket, 'data');
    }
    expect(await ask(origin, '127.0.0.3')).toMatch(/^HTTP\/1\.1 503 /u);
    expect(busy.map((socket) => socket.closed)).not.toContain(true);
  });

  test('those that are about to be refused keep no newcomer out', async () => {
    const origin = await open({ max: 8, maxPerClient: 4, headersMs: 60_000, keepAliveMs: 60_000 });
    for (let round = 0; round < 3; round += 1) {
      // Node would drop connections above the limit, and those that are refused one by one.
      await connectFrom(origin, '127.0.0.2', 40);
      await connectFrom(origin, '127.0.0.3', 40);
      expect(await ask(origin, `127.0.0.${10 + round}`)).toMatch(/^HTTP\/1\.1 200 /u);
    }
  });
});

test('the uploads refuse and count the connections of a flooding client, and the listing still answers', async () => {
  const environment = { REFRESH_CRON: 'off', METRICS_PORT: '0' };
  const { uploads, listing, operations } = await openTestService(onTestFinished, environment);
  const { uploadsPerClient } = shareConnections(await readDescriptorLimit());
  await Promise.all(Array.from({ length: uploadsPerClient }, () => openSocket(uploads)));
  await expect.poll(() => send(uploads, {})).toMatchObject({ status: 503 });
  expect((await send(listing, { path: '/healthz' })).status).toBe(200);
  // Refusals are reported every five seconds.
  const countRefused = async () =>
    (await scrape(operations)).sample('tayang_connections_refused_total', {
      origin: 'uploads',
      reason: 'client-share',
    });
  await expect.poll(countRefused, { interval: 200 }).toBeGreaterThan(0);
});

test.each([256, 1_024, 65_536, 1_048_576])(
  'the connections of all origins and their files use less than 85 percent of %i descriptors',
  (descriptors) => {
    const { listing, uploads, uploadsPerClient, operations } = shareConnections(descriptors);
    expect(listing + 2 * uploads + operations).toBeLessThan(descriptors * 0.85);
    expect(uploadsPerClient).toBeLessThan(uploads);
    expect(Math.min(listing, uploads, operations, uploadsPerClient)).toBeGreaterThanOrEqual(8);
  },
);
