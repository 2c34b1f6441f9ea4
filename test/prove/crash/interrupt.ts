import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Outcome } from './operation.ts';

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
const MAX_RUN_MS = 60_000;
/** Shared by all runs: a process that ends normally would write its compile cache, and that is none of the operation's calls. */
const COMPILE_CACHE = path.join(tmpdir(), 'tayang-prove-compile-cache');
const SCRIPT = path.resolve(import.meta.dirname, 'interrupted.ts');

/** Runs an operation in a process of its own, and interrupts it. One pool thread makes the order of calls repeatable. */
export async function interrupt(
  operation: string,
  folder: string,
  site: string,
  { kind, thread, step }: InjectedFault,
): Promise<Interrupted> {
  const child = spawn(process.execPath, [SCRIPT, operation, folder, site], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      UV_THREADPOOL_SIZE: '1',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
    },
    timeout: MAX_RUN_MS,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'close');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) throw new Error(`${operation} could not be prepared`);
  const { before } = JSON.parse(first.value) as { before: unknown };
  const action = kind === 'KILL' ? 'signal=KILL' : `error=${kind}`;
  const tracer = await attach(await threadOf(child, thread), `${CALLS[kind]}:${action}:when=${step}`);
  child.stdin.end('go\n');
  const acknowledged: unknown[] = [];
  for await (const line of lines)
    acknowledged.push((JSON.parse(line) as { acknowledged: unknown }).acknowledged);
  await ended;
  return { before, acknowledged, wasInjected: await tracer.wasInjected() };
}

async function threadOf({ pid }: ChildProcess, thread: InjectedFault['thread']): Promise<number> {
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
