import { DAY_MS } from '../../domain/units.ts';
import { createCron } from './cron.ts';

/** The longest delay after the full minute, at which all other installations ask the source too. */
const MAX_JITTER_MS = 60_000;
/** The clock may be set and the machine may sleep, so the next moment is computed again at least this often. */
const MAX_WAIT_MS = 30_000;
const SAMPLED_RUNS = 10;
const MAX_LOOKAHEAD_MS = 40 * DAY_MS;

export interface RefreshTimer {
  /**
   * Calls back at every moment until it is stopped. `moment`: the planned one, ms since 1970. Moments that a sleeping
   * machine, or a clock that was set forward, has missed are one late call.
   */
  start(onMoment: (moment: number) => void): void;
  stop(): void;
  /** The first moment after now that is not before `earliest`, jitter included; all in ms since 1970. */
  nextMoment(earliest?: number): number;
  /** The least time between two moments, ms. */
  intervalMs: number;
}

interface RefreshTimerOptions {
  expression: string;
  timeZone: string;
  /** This installation's share of the jitter, 0 to 1. */
  jitterShare: number;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

export function createRefreshTimer({
  expression,
  timeZone,
  jitterShare,
  now,
}: RefreshTimerOptions): RefreshTimer {
  const nextRun = cacheNextRun(createCron(expression, timeZone));
  const intervalMs = findLeastInterval(nextRun, now());
  const jitter = Math.round(jitterShare * Math.min(MAX_JITTER_MS, intervalMs / 2));
  let timer: NodeJS.Timeout | undefined;

  function nextMoment(earliest = 0): number {
    return nextRun(Math.max(now(), earliest - 1) - jitter) + jitter;
  }

  return {
    intervalMs,
    nextMoment,
    start(onMoment) {
      const wait = () => {
        const planned = nextMoment();
        timer = setTimeout(look, Math.max(0, Math.min(planned - now(), MAX_WAIT_MS)), planned);
      };
      const look = (planned: number) => {
        wait();
        if (now() >= planned) onMoment(planned);
      };
      wait();
    },
    stop() {
      clearTimeout(timer);
    },
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

function findLeastInterval(nextRun: (after: number) => number, now: number): number {
  const first = nextRun(now);
  let run = first;
  let least = Number.POSITIVE_INFINITY;
  for (let count = 1; count < SAMPLED_RUNS && run < first + MAX_LOOKAHEAD_MS; count += 1) {
    const next = nextRun(run);
    least = Math.min(least, next - run);
    run = next;
  }
  return least;
}
