import { type CrashResult, faultEveryCall } from './crash/crash.ts';
import { OPERATIONS } from './crash/operations.ts';
import { MODELS, type ModelName } from './models/models.ts';

/** `npm run prove -- NAME [options]`: docs/proofs.md says what each proof tries. Exits 1 when one fails. */

const KINDS = ['KILL', 'EIO', 'ENOSPC', 'EMFILE'] as const;
const THREADS = ['main', 'pool'] as const;

async function proveCrash(operations: string[]): Promise<boolean> {
  let holds = true;
  for (const operation of operations.length > 0 ? operations : Object.keys(OPERATIONS))
    for (const kind of KINDS)
      for (const thread of THREADS) {
        const result = await faultEveryCall(operation, { kind, thread });
        printCrash(result);
        holds &&= result.failures.length === 0;
      }
  return holds;
}

function printCrash({ operation, kind, thread, steps, failures }: CrashResult): void {
  console.log(
    `${failures.length === 0 ? 'holds' : 'FAILS'}  ${operation}, ${kind}, ${thread} thread: ${steps} calls`,
  );
  for (const failure of failures) console.log(`       ${failure}`);
}

/** `models [crawler|uploads] [runs]`. The seed is printed, and can be given after the runs. */
async function proveModels(args: string[]): Promise<boolean> {
  const [part = '', runs = 10_000, seed = Date.now() % 2 ** 31] = readArguments(args);
  let holds = true;
  for (const name of Object.keys(MODELS) as ModelName[]) {
    if (!name.startsWith(part)) continue;
    const started = performance.now();
    const result = await MODELS[name].check({ runs, seed });
    const seconds = Math.round((performance.now() - started) / 1_000);
    console.log(`${result.failure ? 'FAILS' : 'holds'}  ${name}: ${result.runs} scenarios in ${seconds} s, seed ${seed}`);
    if (result.failure) console.log(`       ${result.failure}`);
    holds &&= !result.failure;
  }
  return holds;
}

/** A name, which may be missing, and numbers. */
function readArguments(args: string[]): [name: string, ...numbers: number[]] {
  const [name = ''] = args.filter((arg) => !/^\d+$/u.test(arg));
  return [name, ...args.filter((arg) => arg !== name).map(Number)];
}

const PROOFS: Record<string, (args: string[]) => Promise<boolean>> = {
  crash: proveCrash,
  models: proveModels,
};

const [name = '', ...args] = process.argv.slice(2);
const prove = PROOFS[name];
if (!prove) {
  console.error(`Name a proof: ${Object.keys(PROOFS).join(', ')}.`);
  process.exit(1);
}
process.exitCode = (await prove(args)) ? 0 : 1;
