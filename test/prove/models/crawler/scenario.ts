import fc from 'fast-check';
import type { RefreshKind } from './process.ts';
import { FAULTS, type Fault, type SiteChange } from './site.ts';
import type { WriteFailure } from './world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `process` is the index of one of the two. */
export type Step =
  | { type: 'refresh'; process: number; kind: RefreshKind }
  /** So many operations of a process happen; each number chooses among those that wait. */
  | { type: 'go on'; process: number; choices: number[] }
  | { type: 'change'; change: SiteChange }
  | { type: 'fault'; fault: Fault }
  | { type: 'heal' }
  /** Time passes. */
  | { type: 'wait'; ms: number }
  /** The clock is set. */
  | { type: 'clock'; ms: number }
  | { type: 'kill'; process: number }
  | { type: 'lose lease'; process: number }
  | { type: 'fail write'; process: number; failure: WriteFailure }
  | { type: 'notice'; process: number };

export interface Scenario {
  anime: number;
  skewMs: number;
  steps: Step[];
}

const process = fc.nat(1);
const typed = <Type extends Step['type']>(type: Type) => ({ type: fc.constant(type) });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      ...typed('go on'),
      process,
      choices: fc.array(fc.nat(1), { minLength: 1, maxLength: 24, size: 'max' }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      ...typed('refresh'),
      process,
      kind: fc.constantFrom<RefreshKind>('crawl', 'crawl', 'crawl', 'peek', 'peek', 'forced'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...typed('change'),
      change: fc.record({
        kind: fc.constantFrom<SiteChange['kind']>(
          'air',
          'air',
          'air',
          'add',
          'add',
          'drop',
          'season',
          'move',
          'correct',
        ),
        index: fc.nat(15),
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...typed('fault'),
      fault: fc.record({
        kind: fc.constantFrom(...FAULTS),
        reads: fc.integer({ min: 1, max: 12 }),
        age: fc.integer({ min: 1, max: 4 }),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record(typed('heal')) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...typed('wait'),
      ms: fc.constantFrom(MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 7 * HOUR_MS, 8 * DAY_MS, 40 * DAY_MS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...typed('clock'),
      ms: fc.constantFrom(-2 * DAY_MS, -HOUR_MS, -MINUTE_MS, MINUTE_MS, HOUR_MS, DAY_MS, 40 * DAY_MS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...typed('kill'), process }) },
  { weight: 1, arbitrary: fc.record({ ...typed('lose lease'), process }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...typed('fail write'),
      process,
      failure: fc.constantFrom<WriteFailure>('not written', 'written'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...typed('notice'), process }) },
);

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  anime: fc.integer({ min: 5, max: 14 }),
  skewMs: fc.constantFrom(0, 0, 30_000, -30_000),
  steps: fc.array(step, { minLength: 1, maxLength: 50, size: 'max' }),
});
