import fc from 'fast-check';
import type { RemovalMark } from '../../../../src/uploads/storage.ts';
import { choices, type StepOf, stepsOf } from '../steps.ts';

/** Sizes of files: the same size has the same bytes. With its description, the smallest occupies a disk block. */
export const SIZES = [0, 100, 4_000, 9_000, 20_000, 60_000];
export const OWNERS = ['203.0.113.7', '203.0.113.8'];

/** Chooses among the files that were published so far. */
const file = fc.nat(7);

const KINDS = {
  upload: [
    8,
    {
      owner: fc.nat(OWNERS.length - 1),
      size: fc.nat(SIZES.length - 1),
      minutes: fc.constantFrom(1, 5, 60, 120),
      isDeclared: fc.boolean(),
      isCut: fc.constantFrom(false, false, false, true),
    },
  ],
  'go on': [8, { choices: choices(12, 4) }],
  delete: [3, { file, hasKey: fc.constantFrom(true, true, true, false) }],
  sweep: [1, {}],
  withdraw: [
    2,
    { file, reason: fc.constantFrom<RemovalMark['reason']>('operator', 'legal'), blocks: fc.boolean() },
  ],
  unblock: [1, { file }],
  /** The service reads what the operator has changed. */
  poll: [2, {}],
  wait: [2, { minutes: fc.constantFrom(1, 4, 30, 90) }],
  /** The process is killed, and another one starts, which may receive uploads before it has counted what is stored. */
  kill: [1, { isCountedFirst: fc.constantFrom(true, true, false) }],
} as const;

export type Step = StepOf<typeof KINDS>;

export const scenarios: fc.Arbitrary<Step[]> = stepsOf(KINDS, 40);
