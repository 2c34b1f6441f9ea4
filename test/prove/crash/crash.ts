import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCatalogue } from '../../../src/demo/catalogue.ts';
import { openSampleSite } from '../../../src/demo/sample-site.ts';
import { type Call, type FaultKind, type InjectedFault, interrupt, listCalls } from './interrupt.ts';
import { OPERATIONS } from './operations.ts';
import type { Thread } from './trace-thread.ts';

const A_FRIDAY = new Date('2026-11-20T05:00:00Z');
/** Where a call is looked for that another run made a little earlier or later, because a thread was woken less often. */
const SHIFTS = [0, 1, -1, 2, -2];
const MAX_REPLACED = 5;

export interface CrashResult {
  operation: string;
  kind: FaultKind;
  thread: Thread;
  /** The number of calls that got a fault, one in each run. */
  faulted: number;
  /** Calls that later runs did not make again. */
  missed: Call[];
  /** Descriptions of damage, each with the call into which the fault was injected. */
  failures: string[];
}

/**
 * Injects a fault into the middle one of every `stride` calls that one thread makes during an operation, and checks the
 * remaining files.
 */
export async function faultEveryCall(
  operation: string,
  { kind, thread }: Pick<InjectedFault, 'kind' | 'thread'>,
  stride = 1,
): Promise<CrashResult> {
  const result: CrashResult = { operation, kind, thread, faulted: 0, missed: [], failures: [] };
  const calls = await inFolder((folder, site) => listCalls(operation, folder, site, { kind, thread }));
  const first = Math.floor(Math.min(stride, calls.length) / 2);
  for (let index = first; index < calls.length; index += stride) {
    // A call that this run does not make again is replaced by one of the next.
    for (const call of calls.slice(index, index + Math.min(stride, MAX_REPLACED))) {
      const { isFaulted, damage } = await faultCall(operation, { kind, thread, call });
      if (isFaulted) result.faulted += 1;
      else result.missed.push(call);
      if (damage !== undefined)
        result.failures.push(`${kind} at ${call.name} ${call.number} of the ${thread} thread: ${damage}`);
      if (isFaulted || damage !== undefined) break;
    }
  }
  return result;
}

interface Faulted {
  isFaulted: boolean;
  /** A description of what is damaged afterwards. */
  damage?: string;
}

/** Runs the operation until the fault was injected into a call on a file or socket. */
async function faultCall(operation: string, { call, ...fault }: InjectedFault): Promise<Faulted> {
  for (const shift of SHIFTS) {
    const number = call.number + shift;
    if (number < 1) continue;
    const found = await faultOneCall(operation, { ...fault, call: { ...call, number } });
    if (found.isFaulted || found.damage !== undefined) return found;
  }
  return { isFaulted: false };
}

function faultOneCall(name: string, fault: InjectedFault): Promise<Faulted> {
  return inFolder(async (folder, site) => {
    const { faulted = '', ...outcome } = await interrupt(name, folder, site, fault);
    const isFaulted = fault.call.name === 'socket' ? faulted !== '' : faulted.includes(folder);
    try {
      await OPERATIONS[name]?.check(folder, outcome, site);
      return { isFaulted };
    } catch (error) {
      return { isFaulted, damage: error instanceof Error ? error.message : String(error) };
    }
  });
}

async function inFolder<T>(work: (folder: string, site: string) => Promise<T>): Promise<T> {
  const root = await mkdtemp(path.join(tmpdir(), 'tayang-crash-'));
  const folder = path.join(root, 'data');
  await mkdir(folder);
  const site = await openAiringSite();
  try {
    return await work(folder, site.origin);
  } finally {
    await site.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** The sample site; `GET /air` adds an episode. */
export function openAiringSite() {
  const catalogue = createCatalogue(A_FRIDAY);
  return openSampleSite({
    catalogue,
    intercept(request, response) {
      if (request.url !== '/air') return false;
      catalogue.airNextEpisode(A_FRIDAY);
      response.end();
      return true;
    },
  });
}
