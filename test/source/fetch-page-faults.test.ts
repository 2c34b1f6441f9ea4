import type { RequestListener } from 'node:http';
import { describe, expect, test } from 'vitest';
import { openFetcher, openServer } from './support/loopback.ts';
import { refusal } from './support/refusal.ts';

const { signal } = new AbortController();
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
