import type { SourceFault } from './fault.ts';
import { INTERVAL_MS, type Outcome, type RunOptions } from './run-fault.ts';

/** A failing refresh ends within 15 s at SOURCE_TIMEOUT=1s, says the contract. */
const MAX_IN_TIMEOUTS = 15;
/** The start of a process, and how late a timer is. */
const START_MS = 5_000;
const LATE_MS = 2_000;

/** Every sentence of the contract that an outcome breaks; none when the row holds. `slackMs` is for a busy machine. */
export function shortcomings(
  fault: SourceFault,
  outcome: Outcome,
  { timeoutMs, slackMs }: RunOptions,
): string[] {
  return [
    ...outcome.differences,
    ...judgeWords(fault, outcome),
    ...judgeCommand(fault, outcome),
    ...judgeTime(fault, outcome, timeoutMs, slackMs),
    ...judgeSites(fault, outcome),
  ];
}

function judgeWords(fault: SourceFault, outcome: Outcome): string[] {
  const { detail, detailAfter, detailRestarted, readiness, news, troubles } = outcome;
  const isOk = fault.state === 'ok';
  return [
    ...unless(outcome.struck > 0, 'the fault was never met'),
    ...expectEqual('Cache-Status under the fault', detail, fault.state),
    ...expectEqual('Cache-Status after the fault', detailAfter, 'ok'),
    ...expectEqual('Cache-Status of a service started under the fault', detailRestarted, fault.state),
    ...expectEqual('the status of /readyz', readiness.code, 200),
    ...expectEqual('the state in /readyz', readiness.state, fault.state),
    ...(isOk ? expectMatch('the log', troubles.join('\n'), fault.told) : []),
    ...(isOk ? expectEqual('the reason in /readyz', readiness.reason, null) : []),
    ...(isOk ? [] : expectMatch('the reason in /readyz', readiness.reason ?? '', fault.told)),
    ...expectEqual('changes of the state in the log', news, isOk ? 0 : 1),
  ];
}

function judgeCommand({ state, told }: SourceFault, { command }: Outcome): string[] {
  const summary =
    state === 'ok' ? /^Refreshed from \d+ pages/mu : /^Refused; the last good snapshot is kept: /mu;
  return [
    ...expectEqual('the exit code of the command', command.exitCode, state === 'ok' ? 0 : 1),
    ...expectMatch('the output of the command', command.output, summary),
    ...(state === 'ok' ? [] : expectMatch('the output of the command', command.output, told)),
  ];
}

function judgeTime({ retryAfterMs = 0 }: SourceFault, outcome: Outcome, timeoutMs: number, slackMs: number) {
  const { attemptMs, pauseMs, failures, command } = outcome;
  const longestMs = MAX_IN_TIMEOUTS * timeoutMs + slackMs;
  const backoffMs = failures === 0 ? 0 : Math.max((2 ** (failures - 1) - 1) * INTERVAL_MS, retryAfterMs);
  const longestPauseMs = backoffMs + INTERVAL_MS + LATE_MS + slackMs;

  return [
    ...unless(attemptMs <= longestMs, `an attempt took ${round(attemptMs)}, more than ${round(longestMs)}`),
    ...unless(
      command.tookMs <= longestMs + START_MS,
      `the command took ${round(command.tookMs)}, more than ${round(longestMs + START_MS)}`,
    ),
    ...unless(pauseMs >= backoffMs, `the next attempt came after ${round(pauseMs)}, not ${round(backoffMs)}`),
    ...expectEqual('the attempts it took to recover', outcome.attemptsToRecover, 1),
    ...unless(
      pauseMs <= longestPauseMs,
      `the next attempt came after ${round(pauseMs)}, not within ${round(longestPauseMs)}`,
    ),
  ];
}

function judgeSites(fault: SourceFault, { otherAsked, configuredAskedByCommand }: Outcome): string[] {
  return [
    ...unless(!fault.sparesOther || otherAsked === 0, `the private address got ${otherAsked} requests`),
    ...unless(
      !fault.remembersOther || (otherAsked > 0 && configuredAskedByCommand === 0),
      `the next process asked the old host ${configuredAskedByCommand} times`,
    ),
  ];
}

function unless(holds: boolean, shortcoming: string): string[] {
  return holds ? [] : [shortcoming];
}

function expectEqual(what: string, got: unknown, expected: unknown): string[] {
  return unless(got === expected, `${what}: expected ${expected}, got ${got}`);
}

function expectMatch(what: string, got: string, pattern: RegExp | undefined): string[] {
  return unless(
    !pattern || pattern.test(got),
    `${what}: expected ${pattern}, got "${got.trim().split('\n').at(-1)}"`,
  );
}

function round(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
