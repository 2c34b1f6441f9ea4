import { createServer, type RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { closeServer, listen, openFetcher, openServer } from './support/loopback.ts';
import { refusal } from './support/refusal.ts';

const { signal } = new AbortController();
/** 60 MB, so that a fetcher that reads to the end fails the test instead of blocking it. */
const AS_GOOD_AS_ENDLESS = Array.from({ length: 960 }, () => Buffer.alloc(65_536, ' '));

async function fetchFrom(handle: RequestListener, timeoutMs = 5_000) {
  const url = await openServer(handle);
  return openFetcher({ timeoutMs, origins: [url.origin] }).fetchPage(url.href, signal);
}

test('a server that redirects slowly takes no longer than the timeout', async () => {
  const redirect: RequestListener = (_, response) =>
    void setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60);
  const timely = refusal('source-down', /^127\.0\.0\.1:\d+: no complete answer within 150 ms$/u);
  await expect(fetchFrom(redirect, 150)).rejects.toThrow(timely);
});

test('at most 5 MB of a body are read, and then the connection is closed', async () => {
  const { promise: hungUp, resolve } = Promise.withResolvers<void>();
  const endless = fetchFrom((_, response) => {
    response.once('close', resolve);
    Readable.from(AS_GOOD_AS_ENDLESS).pipe(response);
  }).then(({ html }) => html.length);
  await expect(endless).rejects.toThrow(refusal('source-down', /does not end within \d+ bytes/u));
  await hungUp;
});

describe('an incomplete response is reported as source-down with the host', () => {
  const down = refusal('source-down', /^127\.0\.0\.1:\d+: ./u);

  test('a connection that is refused', async () => {
    const gone = createServer();
    const { href } = await listen(gone);
    await closeServer(gone);
    await expect(openFetcher().fetchPage(href, signal)).rejects.toThrow(down);
  });

  test.each<[string, RequestListener]>([
    ['a connection that is closed at once', (_, response) => void response.destroy()],
    [
      'a body shorter than its Content-Length',
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('<html>', () => response.destroy());
      },
    ],
    ['a body cut between chunks', (_, response) => void response.write('<p>', () => response.destroy())],
    [
      'a body that is not compressed as it says',
      (_, response) => void response.writeHead(200, { 'content-encoding': 'br' }).end('<html></html>'),
    ],
  ])('%s', async (_what, handle) => {
    await expect(fetchFrom(handle)).rejects.toThrow(down);
  });
});

test('an aborted fetch rejects with the reason of its signal, and closes the connection', async () => {
  const asked = Promise.withResolvers<void>();
  const hungUp = Promise.withResolvers<void>();
  const url = await openServer((_, response) => {
    response.once('close', hungUp.resolve);
    asked.resolve();
  });
  const { fetchPage } = openFetcher({ timeoutMs: 60_000 });
  const caller = new AbortController();
  const outcome = expect(fetchPage(url.href, caller.signal)).rejects.toBe('enough');
  await asked.promise;
  caller.abort('enough');
  await outcome;
  await hungUp.promise;
});

describe('the error for an invalid redirect is a short line without control characters', () => {
  test.each([
    [
      'a long address',
      `http://127.0.0.1/${'a'.repeat(8_000)}`,
      /redirects to http:\/\/127\.0\.0\.1\/a+…, which/u,
    ],
    ['control characters', 'mailto:\u009b2J\u00e2', /redirects to mailto:2J\S*, which/u],
  ])('%s', async (_what, location, reason) => {
    const told = fetchFrom((_, response) => {
      response.socket?.end(
        `HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ${location}\r\n\r\n`,
        'latin1',
      );
    });
    const error: Error = await told.then(
      () => expect.unreachable(),
      (refused) => refused,
    );
    expect(error).toEqual(refusal('source-moved', reason));
    expect(error.message).not.toMatch(/\p{Cc}/u);
    expect(error.message.length).toBeLessThan(200);
  });
});
