import type { Report } from '../domain/operational-event.ts';

/** Clocks drift, and are put right, by less. */
const MIN_JUMP_MS = 10_000;
const MIN_PERSISTED_MS = 60_000;

export interface SteadyClockOptions {
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** Monotonic clock, ms. */
  elapsedMs: () => number;
  report: Report;
}

/**
 * Returns a clock for what cannot be undone, never ahead of the wall clock: after a jump forward it goes on as before
 * until the jump has persisted for a minute, so that a clock that is wrong for a moment deletes nothing. A jump is seen
 * when the clock is read.
 */
export function createSteadyClock({ now, elapsedMs, report }: SteadyClockOptions): () => number {
  let offset = now() - elapsedMs();
  let jump: { offset: number; seenAt: number } | undefined;

  return () => {
    const elapsed = elapsedMs();
    const present = now() - elapsed;
    if (isNear(present, offset)) {
      offset = present;
      jump = undefined;
    } else if (!jump || !isNear(present, jump.offset)) {
      jump = { offset: present, seenAt: elapsed };
      report({ type: 'clock-jumped', byMs: present - offset });
    } else if (elapsed - jump.seenAt >= MIN_PERSISTED_MS) {
      offset = present;
      jump = undefined;
    }
    return elapsed + Math.min(offset, present);
  };
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < MIN_JUMP_MS;
}
