import { expect, test } from 'vitest';
import { openFetcher, openServer } from './support/loopback.ts';

const DELAY_MS = 60;
/** Each timer is precise to a millisecond only. */
const TOLERANCE_MS = 2;

test('requests start at least the delay apart, even when all are made at once', async () => {
  const seenAt: number[] = [];
  const url = await openServer((_, response) => {
    seenAt.push(performance.now());
    response.end();
  });
  const { fetchPage } = openFetcher({ delayMs: DELAY_MS });
  const { signal } = new AbortController();
  const startedAt = performance.now();
  await Promise.all([0, 1, 2, 3].map(() => fetchPage(url.href, signal)));
  expect(seenAt).toHaveLength(4);
  for (const [index, at] of seenAt.entries()) {
    expect(at - startedAt).toBeGreaterThanOrEqual(index * (DELAY_MS - TOLERANCE_MS));
  }
});

test('a request that is aborted while it waits rejects at once and is not sent', async () => {
  let asked = 0;
  const url = await openServer((_, response) => {
    asked += 1;
    response.end();
  });
  const { fetchPage } = openFetcher({ delayMs: 60_000 });
  const caller = new AbortController();
  await fetchPage(url.href, caller.signal);
  const second = fetchPage(url.href, caller.signal);
  caller.abort();
  await expect(second).rejects.toMatchObject({ name: 'AbortError' });
  expect(asked).toBe(1);
});
