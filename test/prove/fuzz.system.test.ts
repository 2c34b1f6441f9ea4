import { expect, test } from 'vitest';
import { TARGETS } from './fuzz/fuzz.ts';

/** A sample of `npm run prove -- fuzz`: the kept inputs, and as many others as take a second or two. */
const SAMPLE = { runs: 600, seed: 20 };

test('mutated bodies are read right or refused', async () => {
  const { failure, counts } = await TARGETS.multipart(SAMPLE);
  expect(failure).toBeUndefined();
  expect(counts).not.toMatch(/\b0 (?:accepted|refused)/u);
});
