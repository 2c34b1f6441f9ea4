import { OPERATIONS } from '../crash/operations.ts';
import { losePower } from './power-loss.ts';

/** `power-loss [operation…]` */
export async function provePowerLoss(operations: string[]): Promise<boolean> {
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
