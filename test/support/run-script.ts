import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Defer } from './defer.ts';

export interface RunningScript {
  child: ChildProcess;
  /** Resolves with all output once the process has ended. */
  output: Promise<string>;
  /** Resolves when the process has ended. */
  kill(): Promise<void>;
}

/** Runs the text of a module, which may import from `src/`, in a process of its own. */
export function runScript(
  code: string,
  args: string[],
  defer: Defer,
  environment: Record<string, string> = {},
): RunningScript {
  const src = new URL('../../src/', import.meta.url).href;
  const module = code.replaceAll("'src/", `'${src}`);
  const child = spawn(process.execPath, ['--input-type=module', '-e', module, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...environment },
  });
  const closed = once(child, 'close');
  const kill = async () => {
    child.kill('SIGKILL');
    await closed;
  };
  defer(kill);
  return { child, output: text(child.stdout!), kill };
}
