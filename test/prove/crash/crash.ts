import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createCatalogue } from '../../../src/demo/catalogue.ts';
import { openSampleSite } from '../../../src/demo/sample-site.ts';
import { type InjectedFault, interrupt } from './interrupt.ts';
import { OPERATIONS } from './operations.ts';

const A_FRIDAY = new Date('2026-11-20T05:00:00Z');
/** The most calls of one thread in any operation. */
const MAX_STEPS = 1_000;

export interface CrashResult {
  operation: string;
  kind: InjectedFault['kind'];
  thread: InjectedFault['thread'];
  /** The number of calls that got a fault, one in each run. */
  steps: number;
  /** Descriptions of damage, each with the step at which the fault was injected. */
  failures: string[];
}

/** Injects a fault into every `stride`th call that one thread makes during an operation, and checks the remaining files. */
export async function faultEveryCall(
  operation: string,
  { kind, thread }: Pick<InjectedFault, 'kind' | 'thread'>,
  stride = 1,
): Promise<CrashResult> {
  const failures: string[] = [];
  let steps = 0;
  for (let step = 1; step < MAX_STEPS; step += stride) {
    const outcome = await faultOneCall(operation, { kind, thread, step });
    if (outcome === 'not reached') break;
    steps += 1;
    if (outcome) failures.push(`${kind} at call ${step} of the ${thread} thread: ${outcome}`);
  }
  return { operation, kind, thread, steps, failures };
}

/** Resolves with a description of what is damaged afterwards, or with undefined. */
async function faultOneCall(name: string, fault: InjectedFault): Promise<string | undefined> {
  const operation = OPERATIONS[name];
  if (!operation) throw new Error(`There is no operation ${name}.`);
  const root = await mkdtemp(path.join(tmpdir(), 'tayang-crash-'));
  const folder = path.join(root, 'data');
  await mkdir(folder);
  const site = await openAiringSite();
  try {
    const { wasInjected, ...outcome } = await interrupt(name, folder, site.origin, fault);
    await operation.check(folder, outcome, site.origin);
    return wasInjected ? undefined : 'not reached';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
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
