import type { Defer } from '../../support/defer.ts';
import { PROXY_FAULTS } from '../../support/faulty-proxy.ts';
import { hasSwift, openTestSwift, SWIFT, useSwiftKey } from '../../support/swift.ts';
import { type FaultedRequests, faultEveryRequest } from './fault-requests.ts';
import { OPERATIONS } from './operations.ts';

/** Faults every request of the named operations, or of all, on a real server of S3. Resolves with whether all holds. */
export async function proveS3(operations: string[]): Promise<boolean> {
  const problem = findProblem(operations);
  if (problem) {
    console.error(problem);
    return false;
  }
  useSwiftKey();
  const undos: Parameters<Defer>[0][] = [];
  const swift = await openTestSwift((undo) => undos.push(undo));
  let holds = true;
  for (const operation of operations.length > 0 ? operations : Object.keys(OPERATIONS))
    for (const kind of PROXY_FAULTS)
      for (const isLasting of [false, true]) {
        const result = await faultEveryRequest(operation, swift.url, { kind, isLasting });
        printResult(result);
        holds &&= result.failures.length === 0;
      }
  for (const undo of undos.reverse()) await undo();
  return holds;
}

function findProblem(operations: string[]): string | undefined {
  const known = Object.keys(OPERATIONS);
  const unknown = operations.find((name) => !known.includes(name));
  if (unknown !== undefined) return `There is no operation ${unknown}. Name some of: ${known.join(', ')}.`;
  return hasSwift() ? undefined : `This proof needs ${SWIFT}.`;
}

function printResult({ operation, kind, isLasting, runs, failures }: FaultedRequests): void {
  const extent = isLasting ? 'and all later requests' : 'once';
  const verdict = failures.length === 0 ? 'holds' : 'FAILS';
  console.log(`${verdict}  ${operation}, ${kind}, ${extent}: ${runs} requests`);
  for (const failure of failures) console.log(`       ${failure}`);
}
