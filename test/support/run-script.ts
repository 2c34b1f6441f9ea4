import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Defer } from './defer.ts';

export interface RunningScript {
  child: ChildProcess;
  /** All that it prints, once it has ended. */
  output: Promise<string>;
  /** Resolves when the process is gone. */
  kill(): Promise<void>;
}

/** Runs a module's text in a process of its own, that may import what lies under `src/`. */
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
