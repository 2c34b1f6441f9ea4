import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Place } from '../operations/operation.ts';
import { startOperation } from '../operations/start-operation.ts';
import { attachStrace } from '../operations/strace.ts';
import { treeAfter } from './after-power-loss.ts';
import { type Change, toChanges } from './changes.ts';
import { type FolderNode, listTree, readTree } from './file-tree.ts';
import { parseTrace } from './parse-trace.ts';

const CALLS =
  'write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,mkdirat,openat,ftruncate,truncate,creat,fallocate,copy_file_range,sendfile';
/** The longest text of a call that strace writes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Memory that SQLite shares between processes; it is built anew after a crash, and changes without system calls. */
const SHARED_MEMORY = /-shm$/u;

/** What an operation did to its folder. */
export interface Recording {
  /** What the operation's check needs of the state before. */
  before: unknown;
  tree: FolderNode;
  changes: Change[];
}

/**
 * Runs an operation in a process of its own, and records what it changes in the folder of the place. Throws when the changes
 * do not lead to the files that are there in the end. `traceFile`: a path for the trace.
 */
export async function record(operation: string, place: Place, traceFile: string): Promise<Recording> {
  const { folder } = place;
  const { child, run } = await startOperation(operation, place);
  const options = ['-f', '-y', '-xx', '-s', String(MAX_BYTES), '-e', `trace=${CALLS}`, '-o', traceFile];
  const tracer = await attachStrace(child.pid!, options);
  const tree = await readTree(folder);
  const { before } = await run();
  await tracer.output();
  const changes = toChanges(parseTrace(await readFile(traceFile, 'utf8')), folder, tree);
  const expected = treeAfter(tree, changes, { names: Number.POSITIVE_INFINITY, bytes: 'all' });
  requireSame(expected, await readTree(folder));
  return { before, tree, changes };
}

function requireSame(expected: FolderNode, found: FolderNode): void {
  const [ours, theirs] = [listTree(expected), listTree(found)];
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
    if (SHARED_MEMORY.test(name)) continue;
    const [mine, real] = [ours.get(name), theirs.get(name)];
    const isSame = mine instanceof Buffer && real instanceof Buffer ? mine.equals(real) : mine === real;
    if (!isSame) throw new Error(`The recording is not complete: ${path.posix.join('/', name)} differs.`);
  }
}
