import { describe, expect, test } from 'vitest';
import type { SourceFault } from './fault.ts';
import { shortcomings } from './judge.ts';
import { type RunOptions, runFault } from './run-fault.ts';

/** `npm run faults` holds the rows to the contract's times; here other tests keep the machine busy. */
const TIMES = { timeoutMs: 1_000, slackMs: 30_000 };
/** A page that takes longer than `timeoutMs` fails its crawl, also where it is the machine that is slow: then once more. */
const ROW = { timeout: 180_000, retry: 1 };

/** Rows run beside each other: what they do most is to wait. The first of each state refreshes by the command itself. */
export function testFaults(about: string, faults: readonly SourceFault[]): void {
  describe(about, () => {
    test.concurrent.for(faults)('$name', ROW, async (fault, { onTestFinished }) => {
      const options = { ...TIMES, refreshIn: placeOf(fault, faults) };
      const outcome = await runFault(fault, options, onTestFinished);
      expect(shortcomings(fault, outcome, options)).toEqual([]);
    });
  });
}

function placeOf(fault: SourceFault, faults: readonly SourceFault[]): RunOptions['refreshIn'] {
  const isFirst = faults.find(({ state }) => state === fault.state) === fault;
  return isFirst ? 'a process' : 'this process';
}
