import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Defer } from './defer.ts';
import { endProcess } from './end-process.ts';

/** Loads the settings of every thread of Tayang first: with its compile cache, the types are not taken off again in each process. */
export const WITH_SETTINGS = ['--import', new URL('../../src/runtime.js', import.meta.url).href];

/** Runs a file in a process of its own. Returns the function that kills it, and resolves when it has ended. */
export function startScript(file: URL, args: string[], defer: Defer): () => Promise<void> {
  const child = spawn(process.execPath, [...WITH_SETTINGS, file.pathname, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const kill = () => endProcess(child);
  defer(kill);
  return kill;
}

/** Runs the text of a module, which may import from `src/`, in a process of its own. `output`: all of it, once that has ended. */
export function runScript(
  code: string,
  args: string[],
  defer: Defer,
  environment: Record<string, string> = {},
) {
  const src = new URL('../../src/', import.meta.url).href;
  const module = code.replaceAll("'src/", `'${src}`);
  const child = spawn(process.execPath, [...WITH_SETTINGS, '--input-type=module', '-e', module, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, ...environment },
  });
  const kill = () => endProcess(child);
  defer(kill);
  return { child, output: text(child.stdout!), kill };
}
