import type { Defer } from '../../support/defer.ts';
import { openTestS3, useS3Key } from '../../support/s3.ts';
import { hasSwift, openTestSwift, SWIFT, useSwiftKey } from '../../support/swift.ts';
import { describeOutcome } from '../arguments.ts';
import { type FaultedRequests, faultEveryRequest } from './fault-requests.ts';
import { type Selection, selectCells } from './select-cells.ts';

/** Most of a run is waiting: for answers, for the pauses before requests are repeated, for what arrives late. */
const AT_ONCE = 4;

/**
 * `s3 [operation…] [fault…] [once|lasting] [fake]`: faults every request of the named operations, or of all, on a real
 * server of S3. Resolves with whether all holds.
 */
export async function proveS3(args: string[]): Promise<boolean> {
  let selection: Selection;
  try {
    selection = selectCells(args);
    if (!selection.isFake && !hasSwift()) throw new Error(`This proof needs ${SWIFT}.`);
  } catch (error) {
    console.error((error as Error).message);
    return false;
  }
  const undos: Parameters<Defer>[0][] = [];
  const server = await openServer(selection, (undo) => undos.push(undo));
  let holds = true;
  for (const cell of selection.cells) {
    const result = await faultEveryRequest(cell, server.url, { atOnce: AT_ONCE });
    printResult(result);
    holds &&= result.failures.length === 0;
  }
  for (const undo of undos.reverse()) await undo();
  return holds;
}

function openServer({ isFake }: Selection, defer: Defer): Promise<{ url(): string }> {
  if (isFake) useS3Key();
  else useSwiftKey();
  return isFake ? openTestS3(defer) : openTestSwift(defer);
}

function printResult({ operation, kind, isLasting, runs, seconds, failures }: FaultedRequests): void {
  const extent = isLasting ? 'and all later requests' : 'once';
  const verdict = describeOutcome(failures.length === 0);
  console.log(`${verdict}  ${operation}, ${kind}, ${extent}: ${runs} requests in ${seconds} s`);
  for (const failure of failures) console.log(`       ${failure}`);
}
