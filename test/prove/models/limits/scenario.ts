import fc from 'fast-check';

/** `process` and `file` choose among the processes, and the files that are stored. */
export interface Operation {
  what: 'store' | 'continue' | 'remove';
  process: number;
  file: number;
  /** In bytes, of a share of 60. */
  size: number;
}

export type Step =
  /** These begin at the same time; what comes next does not wait for them. */
  | { type: 'operate'; operations: Operation[] }
  /** Redis is killed and starts again, without its data. */
  | { type: 'restart' }
  | { type: 'empty' }
  /** Redis does not answer any more, or answers again. */
  | { type: 'pause' | 'resume' }
  | { type: 'wait' }
  /** A process ends after it has stored or removed a file and before it has told the ledger; another takes its place. */
  | { type: 'crash'; process: number; file: number; size: number };

export interface Scenario {
  steps: Step[];
}

const PROCESSES = 2;
const process = fc.nat(PROCESSES - 1);
const file = fc.nat(9);
const size = fc.integer({ min: 1, max: 20 });

const operation: fc.Arbitrary<Operation> = fc.record({
  what: fc.constantFrom('store', 'store', 'continue', 'remove'),
  process,
  file,
  size,
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      type: fc.constant('operate'),
      operations: fc.array(operation, { minLength: 1, maxLength: 8 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom<Step[]>(
      { type: 'restart' },
      { type: 'empty' },
      { type: 'pause' },
      { type: 'resume' },
      { type: 'wait' },
    ),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('crash'), process, file, size }) },
);

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 12, size: 'max' }),
});
