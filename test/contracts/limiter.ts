import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitBucket, Limiter } from '../../src/network/limiter.ts';
import { LimiterModel } from '../support/limiter-model.ts';
import { MORE } from '../support/more-runs.ts';

/** Opens an empty limiter whose only time is that of `elapsedMs` (ms, with fractions). */
export type OpenLimiter = (options: {
  windowMs: number;
  elapsedMs: () => number;
}) => Limiter | Promise<Limiter>;

const WINDOW_MS = 60_000;

/** The tests that every limiter must pass. */
export function limiterContract(name: string, open: OpenLimiter, { numRuns = 100 * MORE } = {}): void {
  describe(`${name}, as any limiter`, () => {
    it('says what a request would get without counting one', async () => {
      const { take, takeTimes, peek, setClock } = await start();
      const unused = { ok: true, limit: 40, remaining: 40, resetMs: 0 };
      expect(await peek(address)).toEqual(unused);
      await take(address);
      const used = { ok: true, limit: 40, remaining: 39, resetMs: WINDOW_MS };
      expect([await peek(address), await peek(address)]).toEqual([used, used]);
      await takeTimes(39, address);
      expect(await peek(address)).toEqual({ ok: false, limit: 40, remaining: 0, resetMs: WINDOW_MS });
      setClock(WINDOW_MS);
      expect(await peek(address)).toEqual(unused);
    });

    it('gives the same answers as a model that keeps every request', async () => {
      const steps = fc.array(
        fc.record({ waitMs: arbitraryWait, keys: arbitraryKeys, times: arbitraryTimes }),
      );
      await fc.assert(
        fc.asyncProperty(steps, async (steps) => {
          const { take, clock, setClock } = await start();
          const model = new LimiterModel(WINDOW_MS);
          for (const { waitMs, keys, times } of steps) {
            setClock(clock() + waitMs);
            for (let i = 0; i < times; i++) expect(await take(...keys)).toEqual(model.take(keys, clock()));
          }
        }),
        { numRuns },
      );
    });
  });

  async function start(startMs = 0) {
    let nowMs = startMs;
    const limiter = await open({ windowMs: WINDOW_MS, elapsedMs: () => nowMs });
    const take = (...keys: LimitBucket[]) => limiter.take(keys);
    return {
      take,
      peek: (...keys: LimitBucket[]) => limiter.peek(keys),
      async takeTimes(times: number, ...keys: LimitBucket[]): Promise<boolean[]> {
        const answers: boolean[] = [];
        for (let i = 0; i < times; i++) answers.push((await take(...keys)).ok);
        return answers;
      },
      clock: () => nowMs,
      setClock(ms: number): void {
        nowMs = ms;
      },
    };
  }
}

const address = { key: '192.0.2.1', limit: 40 };

/** Often 0, and otherwise in quarters of a millisecond, which floating point adds exactly. */
const arbitraryWait = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 5 * WINDOW_MS }).map((n) => n / 4),
);

const arbitraryKeys = fc.shuffledSubarray(
  [
    { key: 'one', limit: 1 },
    { key: 'few', limit: 3 },
    { key: 'forty', limit: 40 },
    { key: 'more', limit: 41 },
    { key: 'many', limit: 90 },
  ],
  { minLength: 1, maxLength: 2 },
);

const arbitraryTimes = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 }));
