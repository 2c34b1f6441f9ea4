import fc from 'fast-check';
import type { RemovalMark } from '../../../../src/uploads/storage.ts';

/** Sizes of files: the same size has the same bytes. With its description, the smallest occupies a disk block. */
export const SIZES = [0, 100, 4_000, 9_000, 20_000, 60_000];
export const OWNERS = ['203.0.113.7', '203.0.113.8'];

/** `file` chooses among the files that were published so far. */
export type Step =
  | { type: 'upload'; owner: number; size: number; minutes: number; isDeclared: boolean; isCut: boolean }
  | { type: 'delete'; file: number; hasKey: boolean }
  | { type: 'sweep' }
  /** So many operations happen; each number chooses among those that wait. */
  | { type: 'go on'; choices: number[] }
  | { type: 'withdraw'; file: number; reason: RemovalMark['reason']; blocks: boolean }
  | { type: 'unblock'; file: number }
  /** The service reads what the operator has changed. */
  | { type: 'poll' }
  | { type: 'wait'; minutes: number }
  /** The process is killed, and another one starts, which may receive uploads before it has counted what is stored. */
  | { type: 'kill'; isCountedFirst: boolean };

export interface Scenario {
  steps: Step[];
}

const typed = <Type extends Step['type']>(type: Type) => ({ type: fc.constant(type) });
const file = fc.nat(7);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      ...typed('upload'),
      owner: fc.nat(OWNERS.length - 1),
      size: fc.nat(SIZES.length - 1),
      minutes: fc.constantFrom(1, 5, 60, 120),
      isDeclared: fc.boolean(),
      isCut: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      ...typed('go on'),
      choices: fc.array(fc.nat(3), { minLength: 1, maxLength: 12, size: 'max' }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ ...typed('delete'), file, hasKey: fc.constantFrom(true, true, true, false) }),
  },
  { weight: 1, arbitrary: fc.record(typed('sweep')) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...typed('withdraw'),
      file,
      reason: fc.constantFrom<RemovalMark['reason']>('operator', 'legal'),
      blocks: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...typed('unblock'), file }) },
  { weight: 2, arbitrary: fc.record(typed('poll')) },
  { weight: 2, arbitrary: fc.record({ ...typed('wait'), minutes: fc.constantFrom(1, 4, 30, 90) }) },
  {
    weight: 1,
    arbitrary: fc.record({ ...typed('kill'), isCountedFirst: fc.constantFrom(true, true, false) }),
  },
);

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
});
