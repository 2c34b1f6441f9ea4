import { expect } from 'vitest';
import { hasProgram, testWith } from '../support/needs.ts';
import { losePower } from './power-loss/power-loss.ts';

/** A sample of `npm run prove -- power-loss`, which loses the power after every change of every operation. */
testWith(hasProgram('strace'), 'strace').each([
  ['deletion', 1],
  ['upload', 3],
  ['termination', 8],
])('what was acknowledged survives a loss of power during the operation "%s"', async (operation, stride) => {
  const { states, failures } = await losePower(operation, stride);
  expect(failures).toEqual([]);
  expect(states).toBeGreaterThan(2);
});
