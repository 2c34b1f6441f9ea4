import type { Outcome } from './operation.ts';
import { startOperation } from './start-operation.ts';
import { type Thread, traceThread } from './trace-thread.ts';

export const KINDS = ['KILL', 'EIO', 'ENOSPC', 'EMFILE'] as const;
export type FaultKind = (typeof KINDS)[number];

/** A system call of an operation: the `number`th that one thread makes of this name, from 1. */
export interface Call {
  name: string;
  number: number;
}

/** A fault that strace injects into one system call: SIGKILL before the call, or an error instead of it. */
export interface InjectedFault {
  kind: FaultKind;
  thread: Thread;
  call: Call;
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

/**
 * Runs an operation to its end, and lists the calls of one thread that a fault of this kind can be injected into: those
 * on files of `folder`, and sockets. One pool thread makes their order the same in each run.
 */
export async function listCalls(
  operation: string,
  folder: string,
  site: string,
  { kind, thread }: Pick<InjectedFault, 'kind' | 'thread'>,
): Promise<Call[]> {
  const { child, run } = await startOperation(operation, folder, site);
  const readCalls = await traceThread(child.pid!, thread, [`trace=${CALLS[kind]}`]);
  await run();
  const counts = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of await readCalls()) {
    const name = line.slice(0, line.indexOf('('));
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    if (name === 'socket' || line.includes(folder)) calls.push({ name, number });
  }
  return calls;
}

/** Runs an operation in a process of its own, and interrupts it. */
export async function interrupt(
  operation: string,
  folder: string,
  site: string,
  { kind, thread, call }: InjectedFault,
): Promise<Interrupted> {
  const { child, run } = await startOperation(operation, folder, site);
  const action = kind === 'KILL' ? 'signal=KILL' : `error=${kind}`;
  const inject = `inject=${call.name}:${action}:when=${call.number}`;
  const readCalls = await traceThread(child.pid!, thread, [`trace=${call.name}`, inject]);
  const outcome = await run();
  const lines = await readCalls();
  // A process that is killed in a call has no call after it.
  const faulted =
    kind === 'KILL' ? lines.at(call.number - 1) : lines.find((line) => line.endsWith('(INJECTED)'));
  return { ...outcome, faulted };
}
