import { describeOutcome } from '../arguments.ts';
import { type CrashResult, faultEveryCall } from './crash.ts';
import { KINDS } from './interrupt.ts';
import { OPERATIONS } from './operations.ts';

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

function printCrash({ operation, kind, thread, faulted, missed, failures }: CrashResult): void {
  const verdict = describeOutcome(failures.length === 0);
  const others = missed.length === 0 ? '' : `, ${missed.length} not reached`;
  console.log(`${verdict}  ${operation}, ${kind}, ${thread} thread: ${faulted} calls${others}`);
  for (const failure of failures) console.log(`       ${failure}`);
}
