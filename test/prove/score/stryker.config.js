import AREAS from './areas.json' with { type: 'json' };

/*
 * `SCORE_AREA=limiter npx stryker run test/prove/score/stryker.config.js` changes the files of an area, prints what the
 * tests that are about it do not notice, and fails when they notice less than 90 % of the changes.
 */

const { mutated } = AREAS[process.env.SCORE_AREA];

export default {
  mutate: mutated.map((file) => `src/${file}`),
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/prove/score/vitest.config.ts', related: false, pool: 'forks' },
  // No file: Stryker would rewrite the paths in one with a function that TypeScript 7 does not have.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  concurrency: 2,
  // A busy machine is not an endless loop.
  timeoutMS: 20_000,
  ignorePatterns: ['data', 'docs'],
  reporters: ['clear-text'],
  clearTextReporter: { logTests: false, reportTests: false, reportMutants: true },
  thresholds: { high: 95, low: 90, break: 90 },
  warnings: { slow: false },
  logLevel: 'warn',
};
