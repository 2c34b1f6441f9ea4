import { expect } from 'vitest';
import { MORE } from '../support/more-runs.ts';
import { hasProgram, testWith } from '../support/needs.ts';
import { faultEveryCall } from './crash/crash.ts';
import { KINDS } from './crash/interrupt.ts';
import { OPERATIONS } from './operations/operations.ts';

/** `TEST_RUNS=30` tries every call, and every fault. */
const STRIDE = Math.ceil(30 / MORE);
const FAULTS = MORE > 1 ? KINDS : (['KILL'] as const);

testWith(hasProgram('strace'), 'strace').each(
  Object.keys(OPERATIONS).flatMap((operation) => FAULTS.map((kind) => [kind, operation] as const)),
)('a process that meets %s during the operation "%s" leaves nothing half done', async (kind, operation) => {
  // SQLite runs in the main thread.
  const thread = operation === 'refresh' ? 'main' : 'pool';
  const { faulted, failures } = await faultEveryCall({ operation, kind, thread }, STRIDE);
  expect(failures).toEqual([]);
  expect(faulted).toBeGreaterThan(0);
});
