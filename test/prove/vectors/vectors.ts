import type { Defer } from '../../support/defer.ts';
import { openTestService } from '../../support/service.ts';
import { CONDITIONAL_CASES, runConditional } from './conditional.ts';
import { readExpectedAnswers, WAYS } from './expected-answers.ts';
import { MULTIPART_CASES, runMultipart } from './multipart.ts';
import { ODD_REQUESTS, type Origins, runHttp } from './odd-requests.ts';
import { PROXIES, type TestedProxy } from './proxies.ts';
import { renderCounts, renderDifferences } from './report.ts';

/** What the service needs for all cases to come from one address, and the listing to stay as it is. */
export const CONFIGURATION = {
  UPLOAD_RATE_LIMIT: '10000',
  UPLOAD_CONCURRENCY: '1000',
  TRUST_PROXY: '1',
  REFRESH_PEEK: 'off',
};

/** Runs every case against a service, and the odd requests through every proxy that is there. False when one fails. */
export async function proveVectors(): Promise<boolean> {
  const undos: Parameters<Defer>[0][] = [];
  const defer: Defer = (undo) => void undos.push(undo);
  try {
    const service = await openTestService(defer, CONFIGURATION);
    await service.ready();
    const outcomes = [
      ...(await proveCases(service)),
      ...(await proveWays(service, defer)),
      printOutcome(
        'no request failed within the service',
        service.failures.map(({ type }) => type),
      ),
    ];
    printTables();
    return outcomes.every(Boolean);
  } finally {
    for (const undo of undos.reverse()) await undo();
  }
}

async function proveCases(origins: Origins): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  for (const [name, cases] of Object.entries(MULTIPART_CASES))
    for (const isChunked of [false, true]) {
      const how = isChunked ? 'in small chunks' : 'whole';
      outcomes.push(
        printOutcome(
          `${cases.length} bodies after ${name}, ${how}`,
          await runMultipart(origins.uploads, cases, isChunked),
        ),
      );
    }
  const count = Object.values(CONDITIONAL_CASES).flat().length;
  outcomes.push(printOutcome(`${count} requests with ranges and conditions`, await runConditional(origins)));
  return outcomes;
}

async function proveWays(service: Origins, defer: Defer): Promise<boolean[]> {
  const outcomes = [
    printOutcome(`${ODD_REQUESTS.length} odd requests to the service`, await runHttp('the service', service)),
  ];
  for (const proxy of PROXIES) outcomes.push(await proveProxy(proxy, service, defer));
  return outcomes;
}

/** A proxy that is missing is no failure, except where nothing may be skipped. */
async function proveProxy(
  { name, isThere, start }: TestedProxy,
  service: Origins,
  defer: Defer,
): Promise<boolean> {
  if (!isThere) {
    console.log(`skipped  the odd requests through ${name}, which is not installed`);
    return !process.env.CI;
  }
  const origins = await start(service, defer);
  return printOutcome(`${ODD_REQUESTS.length} odd requests through ${name}`, await runHttp(name, origins));
}

function printOutcome(what: string, failures: string[]): boolean {
  console.log(`${failures.length === 0 ? 'holds' : 'FAILS'}    ${what}`);
  for (const failure of failures) console.log(`         ${failure}`);
  return failures.length === 0;
}

function printTables(): void {
  const groups = { ...MULTIPART_CASES, ...CONDITIONAL_CASES };
  console.log(`\n${renderCounts(groups)}\n${renderDifferences(groups)}`);
  console.log(`| odd request | ${WAYS.join(' | ')} | why |\n|---|${'---|'.repeat(WAYS.length)}---|`);
  for (const [name, { answers, why }] of readExpectedAnswers())
    if (why) console.log(`| ${name} | ${answers.join(' | ')} | ${why} |`);
}
