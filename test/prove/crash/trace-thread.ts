import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { Thread } from './interrupt.ts';

/** A line of a call: its name and its arguments. */
const CALL = /^[a-z]\w*\(/u;

/**
 * Attaches strace to one thread of a process, and resolves once it is attached. `expressions`: what strace takes behind
 * `-e`. `lines` resolves with the traced calls, with the paths of descriptors, when the process has ended.
 */
export async function traceThread(pid: number, thread: Thread, expressions: readonly string[]) {
  const options = expressions.flatMap((expression) => ['-e', expression]);
  const target = String(await findThread(pid, thread));
  const tracer = spawn('strace', ['-y', '-s', '0', '-p', target, ...options], {
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
    async lines(): Promise<string[]> {
      await ended;
      return output.split('\n').filter((line) => CALL.test(line));
    },
  };
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
