import { expect, test } from 'vitest';
import { TARGETS } from './fuzz/fuzz.ts';

/** A sample of `npm run prove -- fuzz`: the kept inputs, and as many others as take a second or two. */
const SAMPLES = { multipart: 600, pages: 100 };
const SEED = 20;

test.each(['multipart', 'pages'] as const)(
  'mutated input of the kind "%s" is read right or refused',
  async (name) => {
    const { failure, counts } = await TARGETS[name]({ runs: SAMPLES[name], seed: SEED });
    expect(failure).toBeUndefined();
    expect(counts).not.toMatch(/\b0 (?:accepted|refused)/u);
  },
);
