import { describeOutcome, drawSeed, readArguments } from '../arguments.ts';
import { MODELS, type ModelName } from './models.ts';

const RUNS = 10_000;

/** `models [crawler|belief|uploads|limits] [runs [seed]]` */
export async function proveModels(args: string[]): Promise<boolean> {
  const { name: part, numbers } = readArguments(args);
  const [runs = RUNS, seed = drawSeed()] = numbers;
  let holds = true;
  for (const name of Object.keys(MODELS) as ModelName[]) {
    if (!name.startsWith(part)) continue;
    const begunAt = performance.now();
    const result = await MODELS[name].check({ runs, seed });
    const seconds = Math.round((performance.now() - begunAt) / 1_000);
    const outcome = describeOutcome(result.failure === undefined);
    console.log(`${outcome}  ${name}: ${result.runs} scenarios in ${seconds} s, seed ${seed}`);
    if (result.failure) console.log(`       ${result.failure}`);
    holds &&= result.failure === undefined;
  }
  return holds;
}
