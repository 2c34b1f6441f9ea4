import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';

const FIRST = -5;
const NORMAL = 0;

/** Lets this program run before what it starves, so that what it measures is the service. Only root may. */
export function raisePriority(): void {
  trySet(process.pid, FIRST);
}

/** A child has inherited that: the service, and what competes with it, have the usual priority. */
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
