import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FAULT_NAMES } from '../../prove/models/belief/faults.ts';
import { months, runMonth } from '../../prove/models/belief/run-month.ts';
import { MORE } from '../../support/more-runs.ts';

/** A sample of `npm run prove -- models belief`, which runs whole months. */
describe('in days of a source that is wrong now and then', () => {
  test.each(FAULT_NAMES)(
    'nothing wrong is served or told, and all is right two crawls after: %s',
    async (name) => {
      const faults = [1, 3, 5].map((hours) => ({ name, hours, afterHours: 6, ageHours: 4 * hours }));
      expect(await runMonth({ anime: 47, hours: 36, seed: 7, faults })).toEqual([]);
    },
  );

  test('the same with all of these faults, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(months(72), async (month) => {
        expect(await runMonth(month)).toEqual([]);
      }),
      { numRuns: 5 * MORE },
    );
  });
});
