import { PROXY_FAULTS, type ProxyFault } from '../../support/faulty-proxy.ts';
import { OPERATIONS } from './operations.ts';

/** What is tried: one fault of one operation, at one request or at all from that on. */
export interface Cell {
  operation: string;
  kind: ProxyFault;
  isLasting: boolean;
}

const EXTENTS = ['once', 'lasting'];
/** The first one where none is named; `fake` is the fake of the tests. */
const SERVERS = ['swift', 'ceph', 'fake'] as const;

export interface Selection {
  cells: Cell[];
  server: (typeof SERVERS)[number];
}

/** Selects by operations, faults, `once` or `lasting`, and a server, in any order: all where none is named. Throws an Error. */
export function selectCells(args: readonly string[]): Selection {
  const operations = Object.keys(OPERATIONS);
  const known = [...operations, ...PROXY_FAULTS, ...EXTENTS, ...SERVERS];
  const unknown = args.find((arg) => !known.includes(arg));
  if (unknown !== undefined)
    throw new Error(`Nothing is named ${unknown}. Name some of: ${known.join(', ')}.`);
  const named = <Name extends string>(names: readonly Name[]) => {
    const some = names.filter((name) => args.includes(name));
    return some.length > 0 ? some : names;
  };
  const cells = named(operations).flatMap((operation) =>
    named(PROXY_FAULTS).flatMap((kind) =>
      named(EXTENTS).map((extent) => ({ operation, kind, isLasting: extent === 'lasting' })),
    ),
  );
  return { cells, server: named(SERVERS)[0] ?? 'swift' };
}
