import { type CrashResult, faultEveryCall } from './crash/crash.ts';
import { OPERATIONS } from './crash/operations.ts';
import { proveScore } from './score/score.ts';
import { proveVectors } from './vectors/vectors.ts';

/** `npm run prove -- crash [operation…]`, `-- score [area…]` or `-- vectors`: docs/proofs.md says what each proof tries. Exits 1 when one fails. */

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

const PROOFS: Record<string, (args: string[]) => Promise<boolean>> = {
  crash: proveCrash,
  score: proveScore,
  vectors: proveVectors,
};

const [name = '', ...args] = process.argv.slice(2);
const prove = PROOFS[name];
if (!prove) {
  console.error(`Name a proof: ${Object.keys(PROOFS).join(', ')}.`);
  process.exit(1);
}
process.exitCode = (await prove(args)) ? 0 : 1;
