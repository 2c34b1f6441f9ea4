import { AppError } from '../../../src/domain/errors.ts';
import { parseS3Url } from '../../../src/uploads/storage/s3/address.ts';
import {
  type ArmedFault,
  type FaultyProxy,
  openFaultyProxy,
  type ProxyFault,
} from '../../support/faulty-proxy.ts';
import { withCleanups } from '../cleanups.ts';
import { findOperation } from '../operations/operations.ts';

/** The most requests of any operation. */
const MAX_REQUESTS = 200;

/** What is tried: one fault of one operation, at one request or at all from that on. */
export interface Cell {
  operation: string;
  kind: ProxyFault;
  isLasting: boolean;
}

interface FaultedRequests {
  /** The number of requests at which the fault was injected, one in each run. */
  runs: number;
  /** Descriptions of damage, each with the request at which the fault was injected. */
  failures: string[];
}

/** Runs an operation again and again, with the fault at the middle one of every `stride` requests. */
export async function faultEveryRequest(
  { operation, ...fault }: Cell,
  newUrl: () => string,
  stride: number,
): Promise<FaultedRequests> {
  const failures: string[] = [];
  let runs = 0;
  for (let at = Math.ceil(stride / 2); at <= MAX_REQUESTS; at += stride) {
    const { requests, failure } = await faultOneRequest(operation, newUrl(), { ...fault, at });
    if (failure) failures.push(`request ${at}: ${failure}`);
    if (requests < at) break;
    runs += 1;
  }
  return { runs, failures };
}

/** Resolves with the number of requests of the operation, and with a description of what is wrong afterwards. */
function faultOneRequest(operation: string, url: string, fault: ArmedFault) {
  const { endpoint = '' } = parseS3Url(url);
  return withCleanups(async (defer) => {
    const proxy = await openFaultyProxy(defer, endpoint);
    const places = { url, proxied: url.replace(endpoint, proxy.origin) };
    return { requests: await disturb(operation, places, proxy, fault), failure: undefined };
  }).catch((error: unknown) => {
    return { requests: fault.at, failure: error instanceof Error ? error.message : String(error) };
  });
}

/** Resolves with the number of requests while the fault was armed. Throws when something is wrong afterwards. */
async function disturb(
  operation: string,
  { url, proxied }: { url: string; proxied: string },
  proxy: FaultyProxy,
  fault: ArmedFault,
): Promise<number> {
  const { prepare, check } = findOperation(operation);
  const place = (storage: string) => ({ storage, folder: '', site: '' });
  const { before, run, end } = await prepare(place(proxied));
  const acknowledged: unknown[] = [];
  proxy.arm(fault);
  await run((result) => acknowledged.push(result)).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
  });
  const requests = await proxy.disarm();
  await check(place(url), { before, acknowledged }, end);
  return requests;
}
