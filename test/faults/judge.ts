import type { SourceFault } from './fault.ts';
import { INTERVAL_MS, type RunOptions, type ServiceOutcome } from './run-in-service.ts';
import type { RefreshOutcome } from './run-refresh.ts';

/** A failing refresh ends within 15 s at SOURCE_TIMEOUT=1s, says the contract. */
const MAX_IN_TIMEOUTS = 15;
/** The start of a process, and how late a timer is. */
const START_MS = 5_000;
const LATE_MS = 2_000;

/** Returns every rule of the contract that a service breaks. `slackMs` is added to times on a busy machine. */
export function judgeService(fault: SourceFault, outcome: ServiceOutcome, options: RunOptions): string[] {
  const { detail, detailAfter, detailRestarted, readyStatus } = outcome;
  return [
    ...judgeRefresh(fault, outcome, options),
    ...expectEqual('Cache-Status under the fault', detail, fault.state),
    ...expectEqual('Cache-Status after the fault', detailAfter, 'ok'),
    ...expectEqual('Cache-Status of a service started under the fault', detailRestarted, fault.state),
    ...expectEqual('the status of /readyz', readyStatus, 200),
    ...judgeTimer(fault, outcome, options),
  ];
}

/** Every sentence of the contract that a refresh breaks. */
export function judgeRefresh(fault: SourceFault, outcome: RefreshOutcome, options: RunOptions): string[] {
  return [
    ...outcome.differences,
    ...judgeWords(fault, outcome),
    ...judgeCommand(fault, outcome),
    ...judgeTime(outcome, options),
    ...judgeSites(fault, outcome),
  ];
}

function judgeWords({ state: expected, expectedReason }: SourceFault, outcome: RefreshOutcome): string[] {
  const { state, stateAfter, reason, news, troubles } = outcome;
  const isOk = expected === 'ok';
  return [
    ...unless(outcome.struck > 0, 'the fault was never met'),
    ...expectEqual('the state of the source under the fault', state, expected),
    ...expectEqual('the state of the source after the fault', stateAfter, 'ok'),
    ...(isOk ? expectMatch('the log', troubles.join('\n'), expectedReason) : []),
    ...(isOk
      ? expectEqual('the reason', reason, null)
      : expectMatch('the reason', reason ?? '', expectedReason)),
    ...expectEqual('changes of the state in the log', news, isOk ? 0 : 1),
  ];
}

function judgeCommand({ state, expectedReason }: SourceFault, { command }: RefreshOutcome): string[] {
  const summary =
    state === 'ok' ? /^Refreshed \d+ pages/mu : /(?:^Refused: .*|\.) Still serving the last good listing\./mu;
  // The command begins the reason with a capital letter.
  const reason = expectedReason && new RegExp(expectedReason, 'iu');
  return [
    ...expectEqual('the exit code of the command', command.exitCode, state === 'ok' ? 0 : 1),
    ...expectMatch('the output of the command', command.output, summary),
    ...(state === 'ok' ? [] : expectMatch('the output of the command', command.output, reason)),
  ];
}

function judgeTime({ attemptMs, command }: RefreshOutcome, { timeoutMs, slackMs }: RunOptions): string[] {
  const longestMs = MAX_IN_TIMEOUTS * timeoutMs + slackMs;
  return [
    ...unless(attemptMs <= longestMs, `an attempt took ${round(attemptMs)}, more than ${round(longestMs)}`),
    ...unless(
      command.tookMs <= longestMs + START_MS,
      `the command took ${round(command.tookMs)}, more than ${round(longestMs + START_MS)}`,
    ),
  ];
}

function judgeTimer(
  { retryAfterMs = 0 }: SourceFault,
  outcome: ServiceOutcome,
  { slackMs }: RunOptions,
): string[] {
  const { pauseMs, sinceLastRequestMs, failures, attemptsToRecover } = outcome;
  const backoffMs = failures === 0 ? 0 : Math.max((2 ** (failures - 1) - 1) * INTERVAL_MS, retryAfterMs);
  const longestPauseMs = backoffMs + INTERVAL_MS + LATE_MS + slackMs;

  return [
    ...unless(
      backoffMs === 0 || sinceLastRequestMs >= backoffMs,
      `the next attempt came after ${round(sinceLastRequestMs)}, not ${round(backoffMs)}`,
    ),
    ...expectEqual('the attempts it took to recover', attemptsToRecover, 1),
    ...unless(
      pauseMs <= longestPauseMs,
      `the next attempt came after ${round(pauseMs)}, not within ${round(longestPauseMs)}`,
    ),
  ];
}

function judgeSites(fault: SourceFault, { otherAsked, configuredAskedByCommand }: RefreshOutcome): string[] {
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
