import type { Report } from '../domain/operational-event.ts';

/** The smallest change that counts as a jump. Ordinary corrections of a clock are smaller. */
const MIN_JUMP_MS = 10_000;
/** How long a jump has to persist before the clock follows it. */
const MIN_PERSISTED_MS = 60_000;

interface SteadyClockOptions {
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** Monotonic clock, ms. */
  elapsedMs: () => number;
  report: Report;
}

/**
 * Returns a clock for deletions, in ms since 1970, which is never ahead of the wall clock. After a jump forward it
 * continues as before until the jump has persisted for a minute, so that a clock that is wrong for a moment deletes
 * nothing. Jumps are detected when the clock is read.
 */
export function createSteadyClock({ now, elapsedMs, report }: SteadyClockOptions): () => number {
  let offset = now() - elapsedMs();
  let jump: { offset: number; seenAt: number } | undefined;

  return () => {
    const elapsed = elapsedMs();
    const current = now() - elapsed;
    if (isNear(current, offset)) {
      offset = current;
      jump = undefined;
    } else if (!jump || !isNear(current, jump.offset)) {
      jump = { offset: current, seenAt: elapsed };
      report({ type: 'clock-jumped', byMs: current - offset });
    } else if (elapsed - jump.seenAt >= MIN_PERSISTED_MS) {
      offset = current;
      jump = undefined;
    }
    return elapsed + Math.min(offset, current);
  };
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < MIN_JUMP_MS;
}
