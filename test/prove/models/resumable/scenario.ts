import fc from 'fast-check';

export const PROCESSES = 2;

/** `process` receives the request, and `upload` chooses among those that were created so far. */
export type Step =
  | { type: 'create'; process: number; size: number }
  /** The client sends so many thousandths of what it believes is missing. */
  | { type: 'send'; process: number; upload: number; share: number; body: Body }
  | { type: 'ask'; process: number; upload: number }
  | { type: 'remove'; process: number; upload: number }
  | { type: 'sweep'; process: number }
  /** So many operations of a process happen; each number chooses among those that wait. */
  | { type: 'go on'; process: number; choices: number[] }
  | { type: 'wait'; minutes: number }
  /** The process is killed, and another one starts in its place. */
  | { type: 'kill'; process: number };

/** `damaged`: other bytes arrive than those that the checksum is of. */
export type Body = 'plain' | 'cut' | 'checked' | 'damaged';

export interface Scenario {
  steps: Step[];
}

const process = fc.nat(PROCESSES - 1);
const upload = fc.nat(2);
const typed = <Type extends Step['type']>(type: Type) => ({ type: fc.constant(type), process });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ ...typed('create'), size: fc.nat(3) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      ...typed('send'),
      upload,
      share: fc.constantFrom(1, 300, 500, 1_000),
      body: fc.constantFrom<Body>('plain', 'plain', 'cut', 'checked', 'damaged'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ ...typed('ask'), upload }) },
  { weight: 1, arbitrary: fc.record({ ...typed('remove'), upload }) },
  { weight: 1, arbitrary: fc.record(typed('sweep')) },
  {
    weight: 10,
    arbitrary: fc.record({
      ...typed('go on'),
      choices: fc.array(fc.nat(3), { minLength: 1, maxLength: 12, size: 'max' }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('wait' as const), minutes: fc.constantFrom(1, 9) }) },
  { weight: 1, arbitrary: fc.record(typed('kill')) },
);

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
});
