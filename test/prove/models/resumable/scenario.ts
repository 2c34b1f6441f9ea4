import fc from 'fast-check';
import { choices, type StepOf, stepsOf } from '../steps.ts';

export const PROCESSES = 2;

/** `damaged`: other bytes arrive than those that the checksum is of. */
export type Body = 'plain' | 'cut' | 'checked' | 'damaged';

/** The one that receives the request. */
const process = fc.nat(PROCESSES - 1);
/** Chooses among those that were created so far. */
const upload = fc.nat(2);
const BODIES: Body[] = ['plain', 'plain', 'cut', 'checked', 'damaged'];

const KINDS = {
  create: [2, { process, size: fc.nat(3) }],
  /** The client sends so many thousandths of what it believes is missing. */
  send: [
    8,
    { process, upload, share: fc.constantFrom(1, 300, 500, 1_000), body: fc.constantFrom(...BODIES) },
  ],
  ask: [3, { process, upload }],
  remove: [1, { process, upload }],
  sweep: [1, { process }],
  'go on': [10, { process, choices: choices(12, 4) }],
  wait: [1, { minutes: fc.constantFrom(1, 9) }],
  /** The process is killed, and another one starts in its place. */
  kill: [1, { process }],
} as const;

export type Step = StepOf<typeof KINDS>;

export const scenarios: fc.Arbitrary<Step[]> = stepsOf(KINDS, 40);
