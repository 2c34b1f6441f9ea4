import fc from 'fast-check';
import { choices, type StepOf, stepsOf } from '../steps.ts';
import type { RefreshKind } from './process.ts';
import type { SiteChange } from './site.ts';
import type { WriteFailure } from './world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The index of one of the two. */
const process = fc.nat(1);
const CHANGES = ['air', 'air', 'air', 'add', 'add', 'drop', 'season', 'move', 'correct'] as const;
const WAITS_MS = [MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 7 * HOUR_MS, 8 * DAY_MS, 40 * DAY_MS];
const CLOCK_STEPS_MS = [-2 * DAY_MS, -HOUR_MS, -MINUTE_MS, MINUTE_MS, HOUR_MS, DAY_MS, 40 * DAY_MS];

const KINDS = {
  'go on': [10, { process, choices: choices(24, 2) }],
  refresh: [
    5,
    {
      process,
      kind: fc.constantFrom<RefreshKind>('crawl', 'crawl', 'crawl', 'peek', 'peek', 'forced'),
    },
  ],
  change: [
    4,
    { change: fc.record({ kind: fc.constantFrom<SiteChange['kind']>(...CHANGES), index: fc.nat(15) }) },
  ],
  /** The next reads of the site fail. */
  'fail reads': [1, { reads: fc.nat(12) }],
  /** Time passes, or the clock is set. */
  wait: [3, { ms: fc.constantFrom(...WAITS_MS, ...CLOCK_STEPS_MS) }],
  kill: [1, { process }],
  'lose lease': [1, { process }],
  'fail write': [1, { process, failure: fc.constantFrom<WriteFailure>('not written', 'written') }],
  notice: [2, { process }],
} as const;

export type Step = StepOf<typeof KINDS>;

export interface Scenario {
  anime: number;
  skewMs: number;
  steps: Step[];
}

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  anime: fc.integer({ min: 5, max: 14 }),
  skewMs: fc.constantFrom(0, 0, 30_000, -30_000),
  steps: stepsOf(KINDS, 50),
});
