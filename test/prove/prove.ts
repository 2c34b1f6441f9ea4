import { type CrashResult, faultEveryCall } from './crash/crash.ts';
import { KINDS } from './crash/interrupt.ts';
import { OPERATIONS } from './crash/operations.ts';
import { losePower } from './power-loss/power-loss.ts';
import { WARM_UP_MINUTES } from './soak/flatness.ts';
import { formatSample, judgeSoak } from './soak/judge.ts';
import { readResults, writeResults } from './soak/results.ts';
import { soak } from './soak/soak.ts';

/**
 * `npm run prove -- crash [operation…]`, `power-loss [operation…]`, `soak [minutes] [folder]`, `soak-result [folder]`:
 * docs/proofs.md says what each proof tries. Exits 1 when one fails.
 */

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

function printCrash({ operation, kind, thread, faulted, missed, failures }: CrashResult): void {
  const verdict = failures.length === 0 ? 'holds' : 'FAILS';
  const others = missed.length === 0 ? '' : `, ${missed.length} not reached`;
  console.log(`${verdict}  ${operation}, ${kind}, ${thread} thread: ${faulted} calls${others}`);
  for (const failure of failures) console.log(`       ${failure}`);
}

async function provePowerLoss(operations: string[]): Promise<boolean> {
  let holds = true;
  for (const operation of operations.length > 0 ? operations : Object.keys(OPERATIONS)) {
    const { moments, states, failures } = await losePower(operation);
    const verdict = failures.length === 0 ? 'holds' : 'FAILS';
    console.log(`${verdict}  ${operation}: ${states} states after ${moments} changes`);
    for (const failure of failures) console.log(`       ${failure}`);
    holds &&= failures.length === 0;
  }
  return holds;
}

async function proveSoak([minutes = '120', folder = 'soak-result']: string[]): Promise<boolean> {
  const isLongEnough = Number.isInteger(Number(minutes)) && Number(minutes) >= WARM_UP_MINUTES + 2;
  if (!isLongEnough)
    throw new Error(`The minutes must be a whole number of at least ${WARM_UP_MINUTES + 2}.`);
  const samples = await soak(Number(minutes), folder, (sample) => console.log(formatSample(sample)));
  return judgeSoak(samples, console.log);
}

/** Judges the samples of a run that was ended early, and draws its chart again. */
async function proveSoakResult([folder = 'soak-result']: string[]): Promise<boolean> {
  const samples = await readResults(folder);
  await writeResults(folder, samples);
  return judgeSoak(samples, console.log);
}

const PROOFS: Record<string, (args: string[]) => Promise<boolean>> = {
  ...{ crash: proveCrash, 'power-loss': provePowerLoss, soak: proveSoak, 'soak-result': proveSoakResult },
};

const [name = '', ...args] = process.argv.slice(2);
const prove = PROOFS[name];
if (!prove) {
  console.error(`Name a proof: ${Object.keys(PROOFS).join(', ')}.`);
  process.exit(1);
}
// What a failed check has left open does not keep the process running.
process.exit((await prove(args)) ? 0 : 1);
