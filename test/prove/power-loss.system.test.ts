import { expect } from 'vitest';
import { MORE } from '../support/more-runs.ts';
import { hasProgram, testWith } from '../support/needs.ts';
import { OPERATIONS } from './operations/operations.ts';
import { losePower } from './power-loss/power-loss.ts';

/** After how many changes the power is lost; `TEST_RUNS=2` loses it after every change of every operation. */
const SAMPLE: [operation: string, stride: number][] = [
  ['deletion', 1],
  ['upload', 3],
  ['termination', 8],
];
const ALL = Object.keys(OPERATIONS).map((operation): [string, number] => [operation, 1]);

testWith(hasProgram('strace'), 'strace').each(MORE > 1 ? ALL : SAMPLE)(
  'what was acknowledged survives a loss of power during the operation "%s"',
  async (operation, stride) => {
    const { states, failures } = await losePower(operation, stride);
    expect(failures).toEqual([]);
    expect(states).toBeGreaterThan(2);
  },
);
