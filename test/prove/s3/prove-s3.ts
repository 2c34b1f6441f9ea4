import { CEPH, hasCeph, openTestCeph, useCephKey } from '../../support/ceph.ts';
import type { Defer } from '../../support/defer.ts';
import { openTestS3, useS3Key } from '../../support/s3.ts';
import { hasSwift, openTestSwift, SWIFT, useSwiftKey } from '../../support/swift.ts';
import { describeOutcome } from '../arguments.ts';
import { type FaultedRequests, faultEveryRequest } from './fault-requests.ts';
import { type Selection, selectCells } from './select-cells.ts';

/** Most of a run is waiting: for answers, for the pauses before requests are repeated, for what arrives late. */
const AT_ONCE = 4;

const SERVERS = {
  swift: { has: hasSwift, name: SWIFT, useKey: useSwiftKey, open: openTestSwift },
  ceph: { has: hasCeph, name: CEPH, useKey: useCephKey, open: openTestCeph },
  fake: { has: () => true, name: '', useKey: useS3Key, open: openTestS3 },
};

/**
 * `s3 [operation…] [fault…] [once|lasting] [swift|ceph|fake]`: faults every request of the named operations, or of all, on a real
 * server of S3. Resolves with whether all holds.
 */
export async function proveS3(args: string[]): Promise<boolean> {
  let selection: Selection;
  try {
    selection = selectCells(args);
    const { has, name } = SERVERS[selection.server];
    if (!has()) throw new Error(`This proof needs ${name}.`);
  } catch (error) {
    console.error((error as Error).message);
    return false;
  }
  const undos: Parameters<Defer>[0][] = [];
  const { useKey, open } = SERVERS[selection.server];
  useKey();
  const server = await open((undo) => undos.push(undo));
  let holds = true;
  for (const cell of selection.cells) {
    const result = await faultEveryRequest(cell, server.url, { atOnce: AT_ONCE });
    printResult(result);
    holds &&= result.failures.length === 0;
  }
  for (const undo of undos.reverse()) await undo();
  return holds;
}

function printResult({ operation, kind, isLasting, runs, seconds, failures }: FaultedRequests): void {
  const extent = isLasting ? 'and all later requests' : 'once';
  const verdict = describeOutcome(failures.length === 0);
  console.log(`${verdict}  ${operation}, ${kind}, ${extent}: ${runs} requests in ${seconds} s`);
  for (const failure of failures) console.log(`       ${failure}`);
}
