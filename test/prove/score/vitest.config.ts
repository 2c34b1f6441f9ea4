import { defineConfig } from 'vitest/config';
import AREAS from './areas.json' with { type: 'json' };

const { tests } = AREAS[process.env.SCORE_AREA as keyof typeof AREAS];

/** The tests of the area that SCORE_AREA names. */
export default defineConfig({
  test: {
    include: tests.map((file) => `test/${file}`),
    execArgv: ['--import', new URL('../../faults/names.js', import.meta.url).href],
    isolate: false,
    // Tests of mutants often wait for something that never happens.
    testTimeout: 10_000,
    hookTimeout: 10_000,
  },
});
