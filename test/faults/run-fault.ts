import path from 'node:path';
import './names.js';
import { readConfig } from '../../src/app/config.ts';
import { refreshOnce } from '../../src/commands/refresh.ts';
import type { Defer } from '../support/defer.ts';
import { eventually, readJson, runCommand, temporaryFolder } from '../support/service.ts';
import { openTestSource, type TestSource } from '../support/source.ts';
import { showPlainly } from './answers.ts';
import type { Sites, SourceFault } from './fault.ts';
import { openReader, type Reader } from './reader.ts';
import { type Attempt, type WatchedService, watchService } from './watched-service.ts';

/** The timer of the services has a moment every second. */
export const INTERVAL_MS = 1_000;
const NAMES = path.join(import.meta.dirname, 'names.js');

export interface RunOptions {
  /** SOURCE_TIMEOUT. */
  timeoutMs: number;
  /** How much longer everything may take than the contract says. */
  slackMs: number;
  /** Where `npm run refresh` meets the fault. */
  refreshIn: 'this process' | 'a process';
}

/** What came of a fault, as seen from outside. Times in ms. */
export interface Outcome {
  /** How many answers readers got, and which of them were not as before the fault. */
  answers: number;
  differences: string[];
  /** What `Cache-Status` said: under the fault, after it, and in a service started under it. */
  detail: string;
  detailAfter: string;
  detailRestarted: string;
  readiness: { code: number; state: string; reason: string | null };
  /** How often the log said that the state had changed for the worse. */
  news: number;
  /** What the log said of trouble during the attempts under the fault, the end of an attempt left out. */
  troubles: string[];
  /** How often the fault was met. */
  struck: number;
  /** The longest attempt under the fault. */
  attemptMs: number;
  /** Failed attempts, those included that began under the fault and outlasted it. */
  failures: number;
  /** From the end of the last attempt under the fault to the start of the next. */
  pauseMs: number;
  /** From the end of the fault to that of the first good crawl after it, and how many attempts that took. */
  recoveryMs: number;
  attemptsToRecover: number;
  command: { exitCode: number | string; output: string; tookMs: number };
  /** Requests in all that the other site got, and those that the configured one got from the command. */
  otherAsked: number;
  configuredAskedByCommand: number;
}

/**
 * A service with a good snapshot, and readers who never pause, meet the fault: at moments of the timer until it
 * ends, then in a refresh by the command, then in a service that starts while it lasts.
 */
export async function runFault(
  fault: SourceFault,
  { timeoutMs, slackMs, refreshIn }: RunOptions,
  defer: Defer,
): Promise<Outcome> {
  const sites = await openSites(defer);
  const shared = {
    DATA_DIR: await temporaryFolder(defer),
    SOURCE_URLS: fault.sourceUrls?.(sites) ?? sites.configured.origin,
    SOURCE_DELAY: '0',
    SOURCE_TIMEOUT: `${timeoutMs}ms`,
  };
  const switches = createSwitches(fault, sites);
  const patienceMs = 15 * timeoutMs + slackMs;

  const service = await watchService(
    { ...shared, SERVE: 'listing,refresh', REFRESH_CRON: '* * * * * *' },
    defer,
  );
  await untilGood(service, patienceMs);
  const reader = await openReader(service.address);
  const stopReading = reader.keepReading(service.address);
  defer(stopReading);
  const byTimer = await meetByTimer(service, reader, switches, fault, patienceMs);
  await stopReading();
  await service.stop();

  await switches.begin();
  const askedBefore = sites.configured.requests.length;
  const startedAt = performance.now();
  const refreshed = await (refreshIn === 'a process'
    ? runRefreshCommand(shared, defer)
    : runRefreshHere(shared));
  const command = { ...refreshed, tookMs: performance.now() - startedAt };
  const configuredAskedByCommand = sites.configured.requests.length - askedBefore;
  const restarted = await watchService({ ...shared, SERVE: 'listing', REFRESH_CRON: 'off' }, defer);
  const detailRestarted = await reader.read(restarted.address);
  await switches.end();
  return {
    ...byTimer,
    command,
    detailRestarted,
    answers: reader.answers(),
    differences: reader.differences(),
    struck: switches.struck(),
    otherAsked: sites.other.requests.length,
    configuredAskedByCommand,
  };
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
  if (!next.isGood) await untilGood(service, patienceMs);
  const good = service.attempts.findLast((attempt) => attempt.isGood)!;
  return {
    readiness,
    detail,
    detailAfter: await eventually(
      () => reader.read(service.address),
      (after) => after === 'ok',
    ),
    news: met.filter((attempt) => attempt.isNews).length,
    troubles: met.flatMap((attempt) => attempt.troubles),
    attemptMs: Math.max(...met.map((attempt) => attempt.endedAt - attempt.startedAt)),
    failures: isGood ? 0 : met.length,
    pauseMs: next.startedAt - met.at(-1)!.endedAt,
    recoveryMs: good.endedAt - endOfFault,
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
    return { code: response.status, state: source.state as string, reason: source.reason as string | null };
  };
  return eventually(ask, ({ state }) => (state === 'ok') === isGood);
}

/** The refresh in a process of its own, as an operator runs it. */
async function runRefreshCommand(
  shared: Record<string, string>,
  defer: Defer,
): Promise<Omit<Outcome['command'], 'tookMs'>> {
  const names: Record<string, string> = shared.SOURCE_URLS?.includes('.example')
    ? { NODE_OPTIONS: `--import=${NAMES}` }
    : {};
  const run = runCommand(['refresh'], { ...shared, ...names }, defer);
  const exitCode = await run.ended;
  return { exitCode, output: run.output() };
}

/** What the command does, in this process: to start another one takes far longer than the refresh. */
async function runRefreshHere(shared: Record<string, string>): Promise<Omit<Outcome['command'], 'tookMs'>> {
  const lines: string[] = [];
  const print = (text: string) => void lines.push(text);
  const progress = { show: () => {}, print, end: () => {} };
  const request = { force: false, signal: new AbortController().signal };
  const exitCode = await refreshOnce(readConfig(shared, '0.0.0'), request, {
    ...{ progress, print, printError: print },
  });
  return { exitCode, output: lines.join('\n') };
}

/**
 * Covers have the same address on both sites: the links of a page carry the newest host, whatever host was asked.
 * Pages are not compressed, and not sent twice unless they are asked for: it would take longer than all the rest.
 */
async function openSites(defer: Defer): Promise<Sites> {
  const open = async (): Promise<TestSource> => {
    const site = await openTestSource(defer);
    for (const anime of site.catalogue.anime) anime.image = `https://gambar.example${anime.image}`;
    site.fault = showPlainly(site);
    return site;
  };
  const sites = { configured: await open(), other: await open() };
  defer(() => sites.configured.close());
  return sites;
}

type Switches = ReturnType<typeof createSwitches>;

function createSwitches(fault: SourceFault, sites: Sites) {
  const { configured } = sites;
  let healthy = configured.fault;
  let struck = 0;
  return {
    struck: () => struck,
    async begin() {
      const answer = await fault.begin(sites);
      if (!answer) struck += 1;
      configured.fault = (request, response) => {
        const isMet = answer?.(request, response) ?? false;
        struck += Number(isMet);
        return isMet || (healthy?.(request, response) ?? false);
      };
    },
    /** The page cache is new then, so that what recovers reads whole pages. */
    async end() {
      healthy = showPlainly(configured);
      configured.fault = healthy;
      await fault.end?.(sites);
    },
  };
}
