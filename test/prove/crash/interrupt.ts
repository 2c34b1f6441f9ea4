import { readdir, readFile } from 'node:fs/promises';
import type { Outcome, Place } from '../operations/operation.ts';
import { startOperation } from '../operations/start-operation.ts';
import { attachStrace } from '../operations/strace.ts';

export const KINDS = ['KILL', 'EIO', 'ENOSPC', 'EMFILE'] as const;
type FaultKind = (typeof KINDS)[number];
/** Of a process with one pool thread. */
const THREADS = ['main', 'pool'] as const;
type Thread = (typeof THREADS)[number];

/** What is tried: one fault at the calls that one thread makes during an operation. */
export interface CrashCell {
  operation: string;
  kind: FaultKind;
  thread: Thread;
}

/** A system call of an operation: the `number`th that its thread makes of this name, from 1. */
export interface Call {
  name: string;
  number: number;
}

interface Interrupted extends Outcome {
  /** The call that was faulted, as strace writes it; undefined when the operation made no such call. */
  faulted: string | undefined;
}

/** The calls that change files. The state between two of them is the same at every moment. */
const CHANGES =
  'write,writev,pwrite64,pwritev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,mkdirat,openat,ftruncate,utimensat';
const CALLS: Record<FaultKind, string> = {
  KILL: CHANGES,
  EIO: `${CHANGES},read,pread64`,
  ENOSPC: CHANGES,
  EMFILE: 'openat,socket',
};
/** A line of a call: its name and its arguments. */
const CALL = /^[a-z]\w*\(/u;

/**
 * Runs an operation to its end, and lists the calls that a fault of this kind can be injected into: those on files of the
 * place, and sockets. One pool thread makes their order the same in each run.
 */
export async function listCalls({ kind, ...cell }: CrashCell, place: Place): Promise<Call[]> {
  const { lines } = await runTraced(cell, place, [`trace=${CALLS[kind]}`]);
  const counts = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of lines) {
    const name = line.slice(0, line.indexOf('('));
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    if (name === 'socket' || line.includes(place.folder)) calls.push({ name, number });
  }
  return calls;
}

/** Runs an operation, and lets strace inject a fault into one call: SIGKILL before it, or an error instead of it. */
export async function interrupt(
  { kind, ...cell }: CrashCell,
  call: Call,
  place: Place,
): Promise<Interrupted> {
  const action = kind === 'KILL' ? 'signal=KILL' : `error=${kind}`;
  const inject = `inject=${call.name}:${action}:when=${call.number}`;
  const { lines, outcome } = await runTraced(cell, place, [`trace=${call.name}`, inject]);
  // A process that is killed in a call has no call after it.
  const faulted =
    kind === 'KILL' ? lines.at(call.number - 1) : lines.find((line) => line.endsWith('(INJECTED)'));
  return { ...outcome, faulted };
}

/** Runs an operation in a process of its own. `expressions`: what strace takes behind `-e`. */
async function runTraced(
  { operation, thread }: Omit<CrashCell, 'kind'>,
  place: Place,
  expressions: readonly string[],
) {
  const { child, run } = await startOperation(operation, place);
  const options = expressions.flatMap((expression) => ['-e', expression]);
  const tracer = await attachStrace(await findThread(child.pid!, thread), ['-y', '-s', '0', ...options]);
  const outcome = await run();
  return { outcome, lines: (await tracer.output()).split('\n').filter((line) => CALL.test(line)) };
}

async function findThread(pid: number, thread: Thread): Promise<number> {
  if (thread === 'main') return pid;
  const tasks = await readdir(`/proc/${pid}/task`);
  for (const task of tasks) {
    // A thread may have ended since.
    const name = await readFile(`/proc/${pid}/task/${task}/comm`, 'utf8').catch(() => '');
    if (name.startsWith('libuv-worker')) return Number(task);
  }
  throw new Error('the process has no pool thread');
}
