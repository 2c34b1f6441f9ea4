import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Defer } from './defer.ts';

/** Loads the settings of every thread of Tayang first: with its compile cache, the types are not taken off again in each process. */
const WITH_SETTINGS = ['--import', new URL('../../src/runtime.js', import.meta.url).href];

interface RunningScript {
  child: ChildProcess;
  /** Resolves with all output once the process has ended. */
  output: Promise<string>;
  /** Resolves when the process has ended. */
  kill(): Promise<void>;
}

/** Runs a file in a process of its own. Returns the function that kills it, and resolves when it has ended. */
export function startScript(file: URL, args: string[], defer: Defer): () => Promise<void> {
  const child = spawn(process.execPath, [...WITH_SETTINGS, file.pathname, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  defer(kill);
  return kill;
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
  const child = spawn(process.execPath, [...WITH_SETTINGS, '--input-type=module', '-e', module, ...args], {
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
