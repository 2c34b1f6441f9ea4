import { AppError } from '../../../src/domain/errors.ts';
import { parseS3Url } from '../../../src/uploads/storage/s3/address.ts';
import type { Defer } from '../../support/defer.ts';
import { type ArmedFault, type FaultyProxy, openFaultyProxy } from '../../support/faulty-proxy.ts';
import { openBucketJob } from './bucket-job.ts';
import { checkFiles, checkRemains } from './check-bucket.ts';
import { OPERATIONS } from './operations.ts';
import type { Cell } from './select-cells.ts';

/** The most requests of any operation. */
const MAX_REQUESTS = 200;

export interface FaultedRequests extends Cell {
  /** The number of requests at which the fault was injected, one in each run. */
  runs: number;
  seconds: number;
  /** Descriptions of damage, each with the request at which the fault was injected. */
  failures: string[];
}

interface Run {
  operation: string;
  url: string;
}

/** Runs an operation again and again, `atOnce` at a time, with the fault at the middle one of every `stride` requests. */
export async function faultEveryRequest(
  cell: Cell,
  newUrl: () => string,
  { stride = 1, atOnce = 1 } = {},
): Promise<FaultedRequests> {
  const { operation, ...fault } = cell;
  const begunAt = performance.now();
  const failures = new Map<number, string>();
  let next = Math.ceil(stride / 2);
  let last = MAX_REQUESTS;
  let runs = 0;

  async function faultNext(): Promise<void> {
    for (let at = next; at <= last; at = next) {
      next += stride;
      const { requests, failure } = await faultOneRequest({ operation, url: newUrl() }, { ...fault, at });
      if (requests < at) last = Math.min(last, at);
      else runs += 1;
      if (failure) failures.set(at, failure);
    }
  }

  await Promise.all(Array.from({ length: atOnce }, faultNext));
  return {
    ...cell,
    runs,
    seconds: Math.round((performance.now() - begunAt) / 1_000),
    failures: [...failures].sort(([a], [b]) => a - b).map(([at, failure]) => `request ${at}: ${failure}`),
  };
}

/** Resolves with the number of requests of the operation, and with a description of what is wrong afterwards. */
async function faultOneRequest(run: Run, fault: ArmedFault) {
  const undos: Parameters<Defer>[0][] = [];
  const { endpoint = '' } = parseS3Url(run.url);
  const proxy = await openFaultyProxy((undo) => undos.push(undo), endpoint);
  let requests = 0;
  try {
    requests = await disturb(run, run.url.replace(endpoint, proxy.origin), proxy, fault);
    return { requests, failure: undefined };
  } catch (error) {
    return { requests: fault.at, failure: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const undo of undos) await undo();
  }
}

/** Resolves with the number of requests while the fault was armed. Throws when something is wrong afterwards. */
async function disturb(
  { operation: name, url }: Run,
  proxied: string,
  proxy: FaultyProxy,
  fault: ArmedFault,
): Promise<number> {
  const operation = OPERATIONS[name];
  if (!operation) throw new Error(`There is no operation ${name}.`);
  const disturbed = await openBucketJob(proxied);
  const { run, check } = await operation.prepare(disturbed);
  proxy.arm(fault);
  await run().catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
  });
  const requests = await proxy.disarm();
  const job = await openBucketJob(url);
  await check(await checkFiles(url), job);
  // The process that was disturbed lives on, and sweeps as it would; the other one is stopped.
  await disturbed.storage.sweep(Date.now());
  await disturbed.close();
  await checkFiles(url);
  await job.close();
  await checkRemains(url);
  return requests;
}
