import { describe, expect, test } from 'vitest';
import type { Defer } from '../support/defer.ts';
import type { SourceFault } from './fault.ts';
import { FAULTS } from './faults.ts';
import { judgeRefresh, judgeService } from './judge.ts';
import { type RunOptions, runInService } from './run-in-service.ts';
import { runRefresh } from './run-refresh.ts';

/** Other tests keep the machine busy. */
const SLACK_MS = 30_000;
/** Only rows that wait for the timeout have a short one: elsewhere a slow machine would be mistaken for a slow source. */
const SHORT_TIMEOUT_MS = 1_000;
const LONG_TIMEOUT_MS = 10_000;
const ROW_TIMEOUT_MS = 180_000;

/** Rows run beside each other: what they do most is to wait. */
export function testFaults(about: string, faults: readonly SourceFault[]): void {
  describe(about, () => {
    test.concurrent.for(faults)('$name', { timeout: ROW_TIMEOUT_MS }, async (fault, { onTestFinished }) => {
      const timeoutMs = fault.isTimed ? SHORT_TIMEOUT_MS : LONG_TIMEOUT_MS;
      expect(await findShortcomings(fault, { timeoutMs, slackMs: SLACK_MS }, onTestFinished)).toEqual([]);
    });
  });
}

/** `FAULTS=all` tries every fault as in production. */
const areAllReal = process.env.FAULTS === 'all';

/**
 * The first fault of each state meets a whole service with its threads and the command as a process, as in production. A
 * fault that is about the timer meets a service in this thread, and every other one a refresh.
 */
async function findShortcomings(fault: SourceFault, options: RunOptions, defer: Defer): Promise<string[]> {
  const isReal = areAllReal || FAULTS.find(({ state }) => state === fault.state) === fault;
  const isAboutTimer = fault.attempts !== undefined || fault.retryAfterMs !== undefined;
  return isReal || isAboutTimer
    ? judgeService(fault, await runInService(fault, { ...options, isReal }, defer), options)
    : judgeRefresh(fault, await runRefresh(fault, options, defer), options);
}
