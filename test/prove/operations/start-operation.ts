import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Outcome, Place } from './operation.ts';

const MAX_RUN_MS = 60_000;
/** Shared by all runs: a process that ends normally would write its compile cache, and that is none of the operation's calls. */
const COMPILE_CACHE = path.resolve(import.meta.dirname, '../../../node_modules/.tayang-proofs');
const SCRIPT = path.resolve(import.meta.dirname, 'disturbed.ts');

/** Prepares an operation in a process of its own. One pool thread makes the order of its calls repeatable. */
export async function startOperation(operation: string, { folder, site }: Place) {
  const child = spawn(process.execPath, [SCRIPT, operation, folder, site], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, UV_THREADPOOL_SIZE: '1', NODE_COMPILE_CACHE: COMPILE_CACHE },
    timeout: MAX_RUN_MS,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) throw new Error(`${operation} could not be prepared`);
  const { before } = JSON.parse(first.value) as { before: unknown };
  return {
    child,
    /** Lets the operation run. Resolves with its outcome once the process has ended. */
    async run(): Promise<Outcome> {
      child.stdin.end('go\n');
      const acknowledged: unknown[] = [];
      for await (const line of lines)
        acknowledged.push((JSON.parse(line) as { acknowledged: unknown }).acknowledged);
      await ended;
      return { before, acknowledged };
    },
  };
}
