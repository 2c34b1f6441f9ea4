import { describe, expect, test } from 'vitest';
import type { SourceFault } from './fault.ts';
import { shortcomings } from './judge.ts';
import { type RunOptions, runFault } from './run-fault.ts';

/** `npm run faults` holds the rows to the contract's times; here other tests keep the machine busy. */
const SLACK_MS = 30_000;
/** Only rows that wait for the timeout have a short one: elsewhere a slow machine would be mistaken for a slow source. */
const SHORT_TIMEOUT_MS = 1_000;
const LONG_TIMEOUT_MS = 10_000;
/** Where the timeout is short, a slow machine can still fail a good crawl. */
const ROW = { timeout: 180_000, retry: 1 };

/** Rows run beside each other: what they do most is to wait. The first of each state refreshes by the command itself. */
export function testFaults(about: string, faults: readonly SourceFault[]): void {
  describe(about, () => {
    test.concurrent.for(faults)('$name', ROW, async (fault, { onTestFinished }) => {
      const timeoutMs = fault.isTimed ? SHORT_TIMEOUT_MS : LONG_TIMEOUT_MS;
      const options = { timeoutMs, slackMs: SLACK_MS, refreshIn: placeOf(fault, faults) };
      const outcome = await runFault(fault, options, onTestFinished);
      expect(shortcomings(fault, outcome, options)).toEqual([]);
    });
  });
}

function placeOf(fault: SourceFault, faults: readonly SourceFault[]): RunOptions['refreshIn'] {
  const isFirst = faults.find(({ state }) => state === fault.state) === fault;
  return isFirst ? 'a process' : 'this process';
}
