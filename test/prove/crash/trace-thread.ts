import { readdir, readFile } from 'node:fs/promises';
import { attachStrace } from './attach-strace.ts';

/** Of a process with one pool thread. */
export type Thread = 'main' | 'pool';

/** A line of a call: its name and its arguments. */
const CALL = /^[a-z]\w*\(/u;

/**
 * Traces one thread of a process. `expressions`: what strace takes behind `-e`. Resolves once strace is attached, with a
 * function that resolves with the traced calls, with the paths of descriptors, when the process has ended.
 */
export async function traceThread(
  pid: number,
  thread: Thread,
  expressions: readonly string[],
): Promise<() => Promise<string[]>> {
  const options = expressions.flatMap((expression) => ['-e', expression]);
  const tracer = await attachStrace(await findThread(pid, thread), ['-y', '-s', '0', ...options]);
  return async () => (await tracer.output()).split('\n').filter((line) => CALL.test(line));
}

async function findThread(pid: number, thread: Thread): Promise<number> {
  if (thread === 'main') return pid;
  const tasks = await readdir(`/proc/${pid}/task`);
  for (const task of tasks) {
    const name = await readFile(`/proc/${pid}/task/${task}/comm`, 'utf8');
    if (name.startsWith('libuv-worker')) return Number(task);
  }
  throw new Error('the process has no pool thread');
}
