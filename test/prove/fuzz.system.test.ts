import { expect, test } from 'vitest';
import { fuzz } from './fuzz/fuzz.ts';
import { TARGETS } from './fuzz/prove-fuzz.ts';

/** A sample of `npm run prove -- fuzz`: the kept inputs, and as many others as take a second or two. */
const SAMPLES = { multipart: 600, pages: 100 };
const SEED = 20;

test.each(['multipart', 'pages'] as const)(
  'mutated input of the kind "%s" is read right or refused',
  async (name) => {
    const { failures, outcomes } = await fuzz(TARGETS[name], {
      runs: SAMPLES[name],
      seed: SEED,
    });
    expect(failures.map(({ fault, input }) => `seed ${SEED}: ${fault}: ${input}`)).toEqual([]);
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(['accepted', 'refused']));
  },
);
