import { describe, expect, test } from 'vitest';
import type { SourceFault } from './fault.ts';
import { shortcomings } from './judge.ts';
import { runFault } from './run-fault.ts';

const TIMEOUT_MS = 1_000;
/** The longest row has two crawls that take as long as one may: twelve timeouts. */
const MAX_ROW_MS = 60_000;

/** Every row at once: what they do most is to wait. */
export function testFaults(about: string, faults: readonly SourceFault[]): void {
  describe(about, () => {
    test.concurrent.for(faults)('$name', { timeout: MAX_ROW_MS }, async (fault, { onTestFinished }) => {
      const outcome = await runFault(fault, TIMEOUT_MS, onTestFinished);
      expect(shortcomings(fault, outcome, TIMEOUT_MS)).toEqual([]);
    });
  });
}
