import path from 'node:path';
import { superviseThread } from '../../src/app/threads/supervisor.ts';
import type { SourceState } from '../../src/store/source-status.ts';
import type { Defer } from '../support/defer.ts';
import { startInThisThread } from '../support/jobs-in-this-thread.ts';
import { refreshHere } from '../support/refresh-here.ts';
import { eventually, readJson, runCommand, temporaryFolder } from '../support/service.ts';
import type { SourceFault } from './fault.ts';
import { openReader, type Reader } from './reader.ts';
import { createSwitches, meetByCommand, openSites, type Switches } from './sites.ts';
import { type Attempt, type WatchedService, watchService } from './watched-service.ts';

const NAMES = path.join(import.meta.dirname, 'names.js');
/** The timer of the services has a moment every second. */
export const INTERVAL_MS = 1_000;

export interface RunOptions {
  /** SOURCE_TIMEOUT. */
  timeoutMs: number;
  /** How much longer everything may take than the contract says. */
  slackMs: number;
}

/**
 * A service with a good snapshot, and readers who never pause, meet the fault: at moments of the timer until it
 * ends, then in a refresh by the command, then in a service that starts while it lasts. `isReal`: whether the command is
 * a process, and each job of the service a thread, as in production.
 */
export async function runInService(
  fault: SourceFault,
  { timeoutMs, slackMs, isReal }: RunOptions & { isReal: boolean },
  defer: Defer,
) {
  const sites = await openSites(defer);
  const shared = {
    DATA_DIR: await temporaryFolder(defer),
    SOURCE_URLS: fault.sourceUrls?.(sites) ?? sites.configured.origin,
    SOURCE_DELAY: '0',
    SOURCE_TIMEOUT: `${timeoutMs}ms`,
  };
  const switches = createSwitches(fault, sites);
  const startJob = isReal ? superviseThread : startInThisThread;
  const patienceMs = 15 * timeoutMs + slackMs;

  const service = await watchService(
    { ...shared, SERVE: 'listing,refresh', REFRESH_CRON: '* * * * * *' },
    startJob,
    defer,
  );
  await untilGood(service, patienceMs);
  const reader = await openReader(service.address);
  const stopReading = reader.keepReading(service.address);
  defer(stopReading);
  const byTimer = await meetByTimer(service, reader, switches, fault, patienceMs);
  await stopReading();
  await service.stop();

  const byCommand = await meetByCommand(sites, switches, () =>
    isReal ? runRefreshCommand(shared, defer) : refreshHere(shared),
  );
  const restarted = await watchService({ ...shared, SERVE: 'listing', REFRESH_CRON: 'off' }, startJob, defer);
  const detailRestarted = await reader.read(restarted.address);
  await switches.end();
  return {
    ...byTimer,
    ...byCommand,
    detailRestarted,
    differences: reader.differences(),
    struck: switches.struck(),
    otherAsked: sites.other.requests.length,
  };
}

/** What a service makes of a fault, as seen from outside. Times in ms. */
export type ServiceOutcome = Awaited<ReturnType<typeof runInService>>;

/** The refresh in a process of its own, as an operator runs it. */
async function runRefreshCommand(shared: Record<string, string>, defer: Defer) {
  const names = shared.SOURCE_URLS?.includes('.example') ? { NODE_OPTIONS: `--import=${NAMES}` } : {};
  const run = runCommand(['refresh'], { ...shared, ...names }, defer);
  return { exitCode: await run.ended, output: run.output() };
}

async function meetByTimer(
  service: WatchedService,
  reader: Reader,
  switches: Switches,
  { attempts: lasts = 1, retryAfterMs = 0 }: SourceFault,
  patienceMs: number,
) {
  await service.nextAttempt(patienceMs);
  await switches.begin();
  const met: Attempt[] = [];
  while (met.length < lasts) met.push(await service.nextAttempt(patienceMs + 2 ** lasts * INTERVAL_MS));
  const { isGood } = met.at(-1)!;
  const readiness = await readReadiness(service.address, isGood);
  const detail = await reader.read(service.address);
  await switches.end();

  const endOfFault = performance.now();
  const limitMs = patienceMs + retryAfterMs + 2 ** (lasts + 1) * INTERVAL_MS;
  let next = await service.nextAttempt(limitMs);
  while (next.startedAt < endOfFault && !next.isGood) {
    met.push(next);
    next = await service.nextAttempt(limitMs);
  }
  const before = service.attempts.indexOf(next);
  // The event at the end of an attempt may come late on a busy machine; the site knows when it was last asked.
  const lastRequestAt = Math.max(switches.lastAskedAt(), met.at(-1)!.startedAt);
  if (!next.isGood) await untilGood(service, patienceMs);
  const good = service.attempts.findLast((attempt) => attempt.isGood)!;
  return {
    /** Of /readyz under the fault. */
    readyStatus: readiness.code,
    state: readiness.state,
    reason: readiness.reason,
    detail,
    detailAfter: await eventually(
      () => reader.read(service.address),
      (after) => after === 'ok',
    ),
    stateAfter: (await readReadiness(service.address, true)).state,
    news: met.filter((attempt) => attempt.isNews).length,
    troubles: met.flatMap((attempt) => attempt.troubles),
    /** The longest attempt under the fault. */
    attemptMs: Math.max(...met.map((attempt) => attempt.endedAt - attempt.startedAt)),
    /** Those included that began under the fault and outlasted it. */
    failures: isGood ? 0 : met.length,
    /** From the end of the last attempt under the fault to the start of the next. */
    pauseMs: next.startedAt - met.at(-1)!.endedAt,
    /** From the last request of that attempt, or from its start where the site got none, to the start of the next. */
    sinceLastRequestMs: next.startedAt - lastRequestAt,
    attemptsToRecover: service.attempts.indexOf(good) - before + 1,
  };
}

async function untilGood(service: WatchedService, limitMs: number): Promise<void> {
  while (!service.attempts.at(-1)?.isGood) await service.nextAttempt(limitMs);
  await eventually(
    () => readReadiness(service.address, true),
    ({ state }) => state === 'ok',
  );
}

/** What /readyz says once it has heard of the attempt. */
async function readReadiness(address: string, isGood: boolean) {
  const ask = async () => {
    const response = await fetch(`${address}/readyz`);
    const { source } = await readJson(response);
    return {
      code: response.status,
      state: source.state as SourceState,
      reason: source.reason as string | null,
    };
  };
  return eventually(ask, ({ state }) => (state === 'ok') === isGood);
}
