import { defineConfig } from 'vitest/config';
import { AREAS } from './areas.ts';

const { tests = [] } = AREAS[process.env.SCORE_AREA ?? ''] ?? {};

/** The tests of the area that SCORE_AREA names. */
export default defineConfig({
  test: {
    include: tests.map((file) => `test/${file}`),
    execArgv: ['--import', new URL('../../faults/names.js', import.meta.url).href],
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
