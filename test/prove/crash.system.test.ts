import { expect } from 'vitest';
import { hasProgram, testWith } from '../support/needs.ts';
import { faultEveryCall } from './crash/crash.ts';
import { OPERATIONS } from './operations/operations.ts';

/** A sample of `npm run prove -- crash`, which faults every call. */
const STRIDE = 30;

testWith(hasProgram('strace'), 'strace').each(Object.keys(OPERATIONS))(
  'a process that is killed during the operation "%s" leaves nothing half done',
  async (operation) => {
    // SQLite runs in the main thread.
    const thread = operation === 'refresh' ? 'main' : 'pool';
    const { faulted, failures } = await faultEveryCall({ operation, kind: 'KILL', thread }, STRIDE);
    expect(failures).toEqual([]);
    expect(faulted).toBeGreaterThan(0);
  },
);
