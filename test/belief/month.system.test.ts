import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MORE } from '../support/more-runs.ts';
import { FAULT_NAMES } from './month/faults.ts';
import { months, runMonth } from './month/run-month.ts';

/** Days of the life of an honest list; `TEST_RUNS=100` draws a hundred times as many of them. */
describe('in days of a source that is wrong now and then', () => {
  test.each(FAULT_NAMES)(
    'nothing wrong is served or told, and all is right two crawls after: %s',
    async (name) => {
      const faults = [1, 3, 5].map((hours) => ({ name, hours, afterHours: 6, ageHours: 4 * hours }));
      expect(await runMonth({ anime: 47, hours: 36, seed: 7, faults })).toEqual([]);
    },
  );

  test('an anime that is pushed to an older page, and so on none, has not left', async () => {
    const faults = [
      { name: 'one card less on page 1', afterHours: 15, hours: 1, ageHours: 10 },
      { name: 'a mirror that is down, and a frozen one', afterHours: 23, hours: 4, ageHours: 21 },
      { name: 'later pages older, of unknown age', afterHours: 14, hours: 3, ageHours: 13 },
    ] as const;
    expect(await runMonth({ anime: 61, hours: 72, seed: 10, faults: [...faults] })).toEqual([]);
  });

  test('an anime has not left when a list is wrong in two ways at once', async () => {
    const faults = [
      { name: 'later pages older, of unknown age', afterHours: 4, hours: 4, ageHours: 15 },
      { name: 'every episode one higher', afterHours: 4, hours: 1, ageHours: 1 },
    ] as const;
    expect(await runMonth({ anime: 31, hours: 72, seed: 512478730, faults: [...faults] })).toEqual([]);
  });

  test('the same with all of these faults, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(months(72), async (month) => {
        expect(await runMonth(month)).toEqual([]);
      }),
      // The sample of the suite is the same each time; more runs are others each time.
      { numRuns: 5 * MORE, ...(MORE === 1 && { seed: 1 }) },
    );
  });
});
