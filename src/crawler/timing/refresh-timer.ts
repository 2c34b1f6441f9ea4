import { DAY_MS } from '../../domain/units.ts';
import { createCron } from './cron.ts';

/** The longest delay after a run of the cron expression, when other installations send their requests too. */
const MAX_JITTER_MS = 60_000;
const SAMPLED_RUNS = 10;
const MAX_LOOKAHEAD_MS = 40 * DAY_MS;

/** When this installation crawls. */
export interface RefreshTimer {
  /** The first fire time after now that is not before `earliest`, with the jitter; ms since 1970. */
  nextFireTime(earliest?: number): number;
  /** The minimum time between two fire times, ms. */
  intervalMs: number;
}

/** `jitterShare`: this installation's share of the jitter, 0 to 1. `now`: wall clock, ms since 1970. */
export function createRefreshTimer(
  expression: string,
  timeZone: string,
  jitterShare: number,
  now: () => number,
): RefreshTimer {
  const nextRun = cacheNextRun(createCron(expression, timeZone));
  const intervalMs = findMinInterval(nextRun, now());
  const jitter = Math.round(jitterShare * Math.min(MAX_JITTER_MS, intervalMs / 2));
  return {
    intervalMs,
    nextFireTime: (earliest = 0) => nextRun(Math.max(now(), earliest - 1) - jitter) + jitter,
  };
}

/** Caches the next run until it is past. */
function cacheNextRun(nextRun: (after: number) => number): (after: number) => number {
  let known = { after: Number.POSITIVE_INFINITY, run: 0 };
  return (after) => {
    if (after < known.after || after >= known.run) known = { after, run: nextRun(after) };
    return known.run;
  };
}

function findMinInterval(nextRun: (after: number) => number, now: number): number {
  const first = nextRun(now);
  let run = first;
  let minMs = Number.POSITIVE_INFINITY;
  for (let count = 1; count < SAMPLED_RUNS && run < first + MAX_LOOKAHEAD_MS; count += 1) {
    const next = nextRun(run);
    minMs = Math.min(minMs, next - run);
    run = next;
  }
  return minMs;
}
