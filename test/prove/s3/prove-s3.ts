import { CEPH } from '../../support/ceph.ts';
import { PROXY_FAULTS } from '../../support/faulty-proxy.ts';
import { hasProgram } from '../../support/needs.ts';
import { openTestS3 } from '../../support/s3.ts';
import { SWIFT } from '../../support/swift.ts';
import { withCleanups } from '../cleanups.ts';
import { BUCKET_OPERATIONS } from '../operations/operations.ts';
import { printOutcome } from '../print-outcome.ts';
import { type Cell, faultEveryRequest } from './fault-requests.ts';

/** Most of a run is waiting: for answers, for the pauses before requests are repeated, for what arrives late. */
const AT_ONCE = 4;

const EXTENTS = { once: 'once', lasting: 'and all later requests' };
/** The first one where none is named; `fake` is the fake of the tests. */
const SERVERS = {
  swift: SWIFT,
  ceph: CEPH,
  fake: { program: 'node', needs: 'Node', open: openTestS3 },
};

/**
 * `s3 [operation…] [fault…] [once|lasting] [swift|ceph|fake]`: faults every request of the named operations, or of all, on a real
 * server of S3. Resolves with whether all holds. Throws an Error for a name of nothing, and for a server that is missing.
 */
export async function proveS3(args: string[]): Promise<boolean> {
  const { cells, server } = selectCells(args);
  const { program, needs, open } = SERVERS[server];
  if (!hasProgram(program)) throw new Error(`This proof needs ${needs}.`);
  return withCleanups(async (defer) => {
    const { url } = await open(defer);
    let holds = true;
    for (const cell of cells) {
      const begunAt = performance.now();
      const { runs, failures } = await faultEveryRequest(cell, url, { atOnce: AT_ONCE });
      const seconds = Math.round((performance.now() - begunAt) / 1_000);
      const extent = EXTENTS[cell.isLasting ? 'lasting' : 'once'];
      const what = `${cell.operation}, ${cell.kind}, ${extent}: ${runs} requests in ${seconds} s`;
      holds = printOutcome(what, failures) && holds;
    }
    return holds;
  });
}

/** Selects by names in any order: all where none is named. */
function selectCells(args: readonly string[]): { cells: Cell[]; server: keyof typeof SERVERS } {
  const known: string[] = [];
  const named = <Name extends string>(names: readonly Name[]) => {
    known.push(...names);
    const some = names.filter((name) => args.includes(name));
    return some.length > 0 ? some : names;
  };
  const operations = named(Object.keys(BUCKET_OPERATIONS));
  const kinds = named(PROXY_FAULTS);
  const extents = named(Object.keys(EXTENTS));
  const [server = 'swift'] = named(Object.keys(SERVERS) as (keyof typeof SERVERS)[]);
  const unknown = args.find((arg) => !known.includes(arg));
  if (unknown !== undefined)
    throw new Error(`Nothing is named ${unknown}. Name some of: ${known.join(', ')}.`);
  const cells = operations.flatMap((operation) =>
    kinds.flatMap((kind) => extents.map((extent) => ({ operation, kind, isLasting: extent === 'lasting' }))),
  );
  return { cells, server };
}
