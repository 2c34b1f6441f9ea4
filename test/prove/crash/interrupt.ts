import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { Outcome } from './operation.ts';
import { startOperation } from './start-operation.ts';

/** A fault that strace injects into one system call: SIGKILL before the call, or an error instead of it. */
export interface InjectedFault {
  kind: 'KILL' | 'EIO' | 'ENOSPC' | 'EMFILE';
  thread: 'main' | 'pool';
  /** The position of the call among those of the thread, from 1. */
  step: number;
}

interface Interrupted extends Outcome {
  /** False when the operation ended before it made so many calls. */
  wasInjected: boolean;
}

/** The calls that change files. The state between two of them is the same at every moment. */
const CHANGES =
  'write,writev,pwrite64,pwritev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,mkdirat,openat,ftruncate,utimensat';
const CALLS = { KILL: CHANGES, EIO: `${CHANGES},read,pread64`, ENOSPC: CHANGES, EMFILE: 'openat,socket' };

/** Runs an operation in a process of its own, and interrupts it. */
export async function interrupt(
  operation: string,
  folder: string,
  site: string,
  { kind, thread, step }: InjectedFault,
): Promise<Interrupted> {
  const { child, run } = await startOperation(operation, folder, site);
  const action = kind === 'KILL' ? 'signal=KILL' : `error=${kind}`;
  const tracer = await attach(await threadOf(child, thread), `${CALLS[kind]}:${action}:when=${step}`);
  const outcome = await run();
  return { ...outcome, wasInjected: await tracer.wasInjected() };
}

async function threadOf(
  { pid }: Pick<ChildProcess, 'pid'>,
  thread: InjectedFault['thread'],
): Promise<number> {
  if (thread === 'main') return pid!;
  const tasks = await readdir(`/proc/${pid}/task`);
  for (const task of tasks) {
    const name = await readFile(`/proc/${pid}/task/${task}/comm`, 'utf8');
    if (name.startsWith('libuv-worker')) return Number(task);
  }
  throw new Error('the process has no pool thread');
}

/** Attaches strace to one thread. `inject`: the calls, the action and the position, as `--inject` takes them. */
async function attach(thread: number, inject: string) {
  const calls = inject.slice(0, inject.indexOf(':'));
  const tracer = spawn('strace', ['-p', String(thread), '-e', `trace=${calls}`, '-e', `inject=${inject}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  const attached = Promise.withResolvers<void>();
  tracer.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.includes('attached')) attached.resolve();
  });
  const ended = once(tracer, 'close');
  void ended.then(() => attached.reject(new Error(`strace could not attach: ${output}`)));
  await attached.promise;
  return {
    async wasInjected() {
      await ended;
      return /INJECTED|killed by SIGKILL/u.test(output);
    },
  };
}
