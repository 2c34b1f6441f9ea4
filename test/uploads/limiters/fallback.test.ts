import { beforeEach, expect, test } from 'vitest';
import type { OperationalEvent } from '../../../src/domain/operational-event.ts';
import type { Limiter } from '../../../src/uploads/limiter.ts';
import { withFallback } from '../../../src/uploads/limiters/fallback.ts';
import { openMemoryLimiter } from '../../../src/uploads/limiters/memory.ts';

const KEYS = [{ key: '192.0.2.1', limit: 3 }];

let nowMs: number;
let asked: number;
let failure: Error | undefined;
let reports: OperationalEvent[];
let closed: string[];
let memory: Limiter;
let limiter: Limiter;

beforeEach(() => {
  [nowMs, asked, failure, reports, closed] = [1_000, 0, undefined, [], []];
  const elapsedMs = () => nowMs;
  memory = openMemoryLimiter({ windowMs: 60_000, elapsedMs });
  const ask = (): void => {
    asked += 1;
    if (failure) throw failure;
  };
  const primary: Limiter = {
    take: async (keys) => {
      ask();
      return memory.take(keys);
    },
    peek: async (keys) => {
      ask();
      return memory.peek(keys);
    },
    close: async () => void closed.push('primary'),
  };
  const fallback = {
    ...openMemoryLimiter({ windowMs: 60_000, elapsedMs }),
    close: async () => void closed.push('fallback'),
  };
  limiter = withFallback({ primary, fallback, report: (one) => void reports.push(one), elapsedMs });
});

const remaining = async () => (await limiter.take(KEYS)).remaining;
const breakMain = () => {
  failure = new Error('gone');
};

test('a request that was allowed before the limiter failed still counts afterwards', async () => {
  expect([await remaining(), await remaining()]).toEqual([2, 1]);
  breakMain();
  expect(await limiter.peek(KEYS)).toMatchObject({ ok: true, remaining: 1 });
  expect(await remaining()).toBe(0);
  expect(await limiter.take(KEYS)).toMatchObject({ ok: false });
});

test('a request that the limiter refuses does not count afterwards, though the fallback would allow it', async () => {
  await memory.take([{ key: 'full', limit: 1 }]);
  const both = [...KEYS, { key: 'full', limit: 1 }];
  expect((await limiter.take(both)).ok).toBe(false);
  breakMain();
  expect(await remaining()).toBe(2);
});

test('a limiter that failed is not used for two seconds, then tried by one request', async () => {
  breakMain();
  for (let i = 0; i < 5; i++) await limiter.peek(KEYS);
  expect(asked).toBe(1);
  nowMs = 3_000;
  await Promise.all([limiter.peek(KEYS), limiter.peek(KEYS), limiter.peek(KEYS)]);
  expect(asked).toBe(2);
  failure = undefined;
  nowMs = 5_000;
  await limiter.peek(KEYS);
  await limiter.peek(KEYS);
  expect(asked).toBe(4);
});

test('a limiter that works is used for every request, including concurrent ones', async () => {
  await Promise.all([limiter.peek(KEYS), limiter.peek(KEYS), limiter.peek(KEYS)]);
  expect(asked).toBe(3);
});

test('both limiters are closed', async () => {
  await limiter.close();
  expect(closed).toEqual(['primary', 'fallback']);
});

test('a failure of the limiter and its recovery are reported once each', async () => {
  breakMain();
  await limiter.take(KEYS);
  expect(reports).toHaveLength(1);
  nowMs = 3_500;
  await limiter.take(KEYS);
  failure = undefined;
  nowMs = 6_000;
  await limiter.take(KEYS);
  await limiter.take(KEYS);
  expect(reports).toEqual([
    { type: 'limiter-degraded', error: expect.any(Error) },
    { type: 'limiter-restored', downMs: 5_000 },
  ]);
});
