import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a process, by a signal or otherwise, unless it has ended. Resolves when it has. */
export async function endProcess(
  child: ChildProcess,
  end: NodeJS.Signals | (() => void) = 'SIGKILL',
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (typeof end === 'string') child.kill(end);
  else end();
  await ended;
}
