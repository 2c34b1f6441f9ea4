import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openMemoryWindow } from '../../src/network/memory-window.ts';
import { limiterContract } from '../contracts/limiter.ts';
import { LimiterModel } from '../support/limiter-model.ts';
import { MORE } from '../support/more-runs.ts';

const WINDOW_MS = 60_000;
const MAX_KEYS = 60_000;

limiterContract('the memory limiter', openMemoryWindow);

describe('the memory limiter', () => {
  it('counts 60,000 addresses, and refuses another one until the first is idle', async () => {
    const { fill, take, setClock } = start();
    await fill(MAX_KEYS, { limit: 30 });
    setClock(20_000);
    expect(await take('newcomer', 30)).toEqual({ ok: false, limit: 30, remaining: 0, resetMs: 40_000 });
    setClock(WINDOW_MS);
    expect(await take('newcomer', 30)).toMatchObject({ ok: true });
  });

  it('counts in neither bucket of a pair when one has no space', async () => {
    const { limiter, take } = start(2);
    await take('known');
    await take('other');
    const pair = ['known', 'newcomer'].map((key) => ({ key, limit: 40 }));
    expect(await limiter.take(pair)).toMatchObject({ ok: false });
    expect(await take('known')).toMatchObject({ remaining: 40 - 2 });
  });

  it('forgets an address with its last request, although nobody asks again', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const limiter = openMemoryWindow({ windowMs: WINDOW_MS, elapsedMs: () => performance.now() });
    limiter.take([{ key: 'one', limit: 40 }]);
    vi.advanceTimersByTime(20_000);
    limiter.take([{ key: 'other', limit: 40 }]);
    vi.advanceTimersByTime(WINDOW_MS - 1);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(101);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('drops no address early and refuses no request needlessly, however full it is', async () => {
    // Idle addresses are looked for ten times a second.
    const waitMs = fc.integer({ min: 0, max: 400 }).map((times) => 100 * times);
    const step = fc.record({ waitMs, key: fc.constantFrom(...'abcde') });
    await fc.assert(
      fc.asyncProperty(fc.array(step), async (steps) => {
        const { take, clock, setClock } = start(2);
        const model = new LimiterModel(WINDOW_MS);
        for (const { waitMs, key } of steps) {
          setClock(clock() + waitMs);
          const others = [...'abcde'].filter((other) => other !== key);
          const latest = others.flatMap((other) => model.counted(other, clock()).slice(-1));
          const verdict = await take(key);
          if (latest.length < 2) expect(verdict).toEqual(model.take([{ key, limit: 40 }], clock()));
          else {
            expect(verdict.ok).toBe(false);
            expect(verdict.resetMs).toBeLessThanOrEqual(WINDOW_MS - clock() + Math.min(...latest));
          }
        }
      }),
      { numRuns: 50 * MORE },
    );
  });
});

function start(maxBuckets?: number) {
  let nowMs = 0;
  const limiter = openMemoryWindow({
    windowMs: WINDOW_MS,
    elapsedMs: () => nowMs,
    ...(maxBuckets && { maxBuckets }),
  });
  const take = (key: string, limit = 40) => limiter.take([{ key, limit }]);
  return {
    limiter,
    take,
    /** Sends one request from each of `count` addresses; returns how many were allowed. */
    async fill(count: number, { limit = 40 } = {}): Promise<number> {
      let letIn = 0;
      for (let i = 0; i < count; i++) if ((await take(`address ${i}`, limit)).ok) letIn++;
      return letIn;
    },
    clock: () => nowMs,
    setClock(ms: number): void {
      nowMs = ms;
    },
  };
}
