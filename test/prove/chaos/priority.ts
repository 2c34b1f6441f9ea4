import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';

const FIRST = -5;
const NORMAL = 0;

/** Lets this program run before the processes that it starves, so that it does not measure itself. Only root may. */
export function raisePriority(): void {
  trySet(process.pid, FIRST);
}

/** A child inherits that priority. Gives the service, and the processes that compete with it, the usual one. */
export function resetPriority({ pid }: ChildProcess): void {
  if (pid !== undefined) trySet(pid, NORMAL);
}

function trySet(pid: number, priority: number): void {
  try {
    setPriority(pid, priority);
  } catch {
    // All have the same priority then.
  }
}
