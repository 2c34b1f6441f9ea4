import { describe, expect, test } from 'vitest';
import type { SourceFault } from './fault.ts';
import { shortcomings } from './judge.ts';
import { runFault } from './run-fault.ts';

const TIMEOUT_MS = 1_000;
/** The longest row has two crawls that take as long as one may: twelve timeouts. */
const MAX_ROW_MS = 60_000;

/** Rows run beside each other: what they do most is to wait. The first of a kind refreshes by the command itself. */
export function testFaults(about: string, faults: readonly SourceFault[]): void {
  describe(about, () => {
    test.concurrent.for(faults)('$name', { timeout: MAX_ROW_MS }, async (fault, { onTestFinished }) => {
      const outcome = await runFault(fault, TIMEOUT_MS, onTestFinished, placeOf(fault, faults));
      expect(shortcomings(fault, outcome, TIMEOUT_MS)).toEqual([]);
    });
  });
}

function placeOf(fault: SourceFault, faults: readonly SourceFault[]): 'this process' | 'a process' {
  const isFirst = faults.find(({ state }) => state === fault.state) === fault;
  return isFirst ? 'a process' : 'this process';
}
