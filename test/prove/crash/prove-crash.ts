import { describeOutcome } from '../arguments.ts';
import { type CrashResult, faultEveryCall } from './crash.ts';
import { OPERATIONS } from './operations.ts';

const KINDS = ['KILL', 'EIO', 'ENOSPC', 'EMFILE'] as const;
const THREADS = ['main', 'pool'] as const;

/** `crash [operation…]` */
export async function proveCrash(operations: string[]): Promise<boolean> {
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
    `${describeOutcome(failures.length === 0)}  ${operation}, ${kind}, ${thread} thread: ${steps} calls`,
  );
  for (const failure of failures) console.log(`       ${failure}`);
}
