import type { Defer } from '../../support/defer.ts';
import { hasProgram } from '../../support/needs.ts';
import { startCaddy, startNginx } from '../../support/proxies.ts';
import { openTestService } from '../../support/service.ts';
import { withCleanups } from '../cleanups.ts';
import { printOutcome } from '../print-outcome.ts';
import { CONDITIONAL_CASES, runConditional } from './conditional.ts';
import { MULTIPART_CASES, runMultipart } from './multipart.ts';
import { ODD_REQUESTS, type Origins, runHttp } from './odd-requests.ts';

/** What the service needs for all cases to come from one address, and the listing to stay as it is. */
export const CONFIGURATION = {
  UPLOAD_RATE_LIMIT: '10000',
  UPLOAD_CONCURRENCY: '1000',
  TRUST_PROXY: '1',
  REFRESH_PEEK: 'off',
};

/** What the table says of HAProxy and Varnish is of an earlier run. */
export const PROXIES = [
  { name: 'nginx', isThere: hasProgram('nginx'), start: startNginx },
  { name: 'Caddy', isThere: hasProgram('caddy'), start: startCaddy },
] as const;

/** Runs every case against a service, and the odd requests through every proxy that is there. False when one fails. */
export function proveVectors(): Promise<boolean> {
  return withCleanups(async (defer) => {
    const service = await openTestService(defer, CONFIGURATION);
    await service.ready();
    const outcomes = [...(await proveCases(service)), ...(await proveWays(service, defer))];
    const failures = service.failures.map(({ type }) => type);
    return [...outcomes, printOutcome('no request failed within the service', failures)].every(Boolean);
  });
}

async function proveCases(origins: Origins): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  for (const [name, cases] of Object.entries(MULTIPART_CASES))
    for (const isChunked of [false, true]) {
      const what = `${cases.length} bodies after ${name}, ${isChunked ? 'in small chunks' : 'whole'}`;
      outcomes.push(printOutcome(what, await runMultipart(origins.uploads, cases, isChunked)));
    }
  const what = `${CONDITIONAL_CASES.length} requests with ranges and conditions`;
  return [...outcomes, printOutcome(what, await runConditional(origins))];
}

/** A proxy that is missing is no failure, except where nothing may be skipped. */
async function proveWays(service: Origins, defer: Defer): Promise<boolean[]> {
  const what = `${ODD_REQUESTS.length} odd requests`;
  const outcomes = [printOutcome(`${what} to the service`, await runHttp('the service', service))];
  for (const { name, isThere, start } of PROXIES) {
    if (isThere) {
      const failures = await runHttp(name, await start([service], defer));
      outcomes.push(printOutcome(`${what} through ${name}`, failures));
    } else {
      console.log(`skipped  the odd requests through ${name}, which is not installed`);
      outcomes.push(!process.env.CI);
    }
  }
  return outcomes;
}
