import { printOutcome } from '../print-outcome.ts';
import { readArguments } from '../read-arguments.ts';
import { MODELS, type ModelName } from './models.ts';

const RUNS = 10_000;

/** `models [crawler|belief|uploads|limits] [runs [seed]]` */
export async function proveModels(args: string[]): Promise<boolean> {
  const { name: part, runs, seed } = readArguments(args, RUNS);
  let holds = true;
  for (const name of Object.keys(MODELS) as ModelName[]) {
    if (!name.startsWith(part)) continue;
    const begunAt = performance.now();
    const { runs: ran, failure } = await MODELS[name].check({ runs, seed });
    const seconds = Math.round((performance.now() - begunAt) / 1_000);
    const what = `${name}: ${ran} scenarios in ${seconds} s, seed ${seed}`;
    holds = printOutcome(what, failure === undefined ? [] : [failure]) && holds;
  }
  return holds;
}
