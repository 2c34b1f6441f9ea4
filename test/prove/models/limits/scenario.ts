import fc from 'fast-check';
import { type StepOf, stepsOf } from '../steps.ts';

/** `process` and `file` choose among the processes, and the files that are stored. */
const chosen = { process: fc.nat(1), file: fc.nat(9) };
/** In bytes, of a share of 60. */
const size = fc.integer({ min: 1, max: 20 });

export interface Operation {
  what: 'store' | 'continue' | 'remove';
  process: number;
  file: number;
  size: number;
}

const operation: fc.Arbitrary<Operation> = fc.record({
  what: fc.constantFrom('store', 'store', 'continue', 'remove'),
  ...chosen,
  size,
});

const KINDS = {
  /** These begin at the same time; what comes next does not wait for them. */
  operate: [10, { operations: fc.array(operation, { minLength: 1, maxLength: 8 }) }],
  /** Redis is killed and starts again, without its data. */
  restart: [1, {}],
  empty: [1, {}],
  /** Redis does not answer any more, or answers again. */
  pause: [1, {}],
  resume: [1, {}],
  wait: [1, {}],
  /** A process ends after it has stored or removed a file and before it has told the ledger; another takes its place. */
  crash: [1, { ...chosen, size }],
} as const;

export type Step = StepOf<typeof KINDS>;

export const scenarios: fc.Arbitrary<Step[]> = stepsOf(KINDS, 12);
