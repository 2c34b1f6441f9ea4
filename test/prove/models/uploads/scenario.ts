import fc from 'fast-check';
import { choices, type StepOf, stepsOf } from '../steps.ts';

/** `damaged`: other bytes arrive than those that the checksum is of. */
export type Body = 'plain' | 'cut' | 'checked' | 'damaged';

/** The one that receives the request. */
const process = fc.nat(1);
/** Chooses among those that were created, or published, so far. */
const upload = fc.nat(2);
const file = fc.nat(4);
const size = fc.nat(3);
const BODIES: Body[] = ['plain', 'plain', 'cut', 'checked', 'damaged'];

const KINDS = {
  /** A file is uploaded in one request, which may break off. */
  upload: [
    4,
    {
      process,
      size,
      minutes: fc.constantFrom(5, 60, 120),
      isCut: fc.constantFrom(false, false, false, true),
    },
  ],
  delete: [2, { process, file, hasKey: fc.constantFrom(true, true, true, false) }],
  create: [2, { process, size }],
  /** The client sends so many thousandths of what it believes is missing. */
  send: [
    8,
    { process, upload, share: fc.constantFrom(1, 300, 500, 1_000), body: fc.constantFrom(...BODIES) },
  ],
  ask: [3, { process, upload }],
  remove: [1, { process, upload }],
  sweep: [1, { process }],
  'go on': [12, { process, choices: choices(12, 4) }],
  wait: [1, { minutes: fc.constantFrom(1, 4, 9, 70) }],
  /** The process is killed, and another one starts in its place. */
  kill: [1, { process }],
} as const;

export type Step = StepOf<typeof KINDS>;

export interface Scenario {
  /** One process counts what is stored exactly, and has small limits. */
  processes: 1 | 2;
  steps: Step[];
}

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  processes: fc.constantFrom(1, 2),
  steps: stepsOf(KINDS, 50),
});
