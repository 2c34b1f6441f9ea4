import { DAY_MS } from '../../domain/units.ts';
import { createCron } from './cron.ts';

/** The longest delay after a run of the cron expression, when other installations send their requests too. */
const MAX_JITTER_MS = 60_000;
/** The clock may be set and the machine may sleep, so the next fire time is computed again at least this often. */
const MAX_WAIT_MS = 30_000;
const SAMPLED_RUNS = 10;
const MAX_LOOKAHEAD_MS = 40 * DAY_MS;

export interface RefreshTimer {
  /**
   * Fires until it is stopped. `fireTime`: the planned time, ms since 1970. Fires once, late, for all fire times that a
   * sleeping machine, or a clock that was set forward, has missed.
   */
  start(onFire: (fireTime: number) => void): void;
  stop(): void;
  /** The first fire time after now that is not before `earliest`, with the jitter; ms since 1970. */
  nextFireTime(earliest?: number): number;
  /** The minimum time between two fire times, ms. */
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
  const intervalMs = findMinInterval(nextRun, now());
  const jitter = Math.round(jitterShare * Math.min(MAX_JITTER_MS, intervalMs / 2));
  let timer: NodeJS.Timeout | undefined;

  function nextFireTime(earliest = 0): number {
    return nextRun(Math.max(now(), earliest - 1) - jitter) + jitter;
  }

  return {
    intervalMs,
    nextFireTime,
    start(onFire) {
      const wait = () => {
        const planned = nextFireTime();
        timer = setTimeout(look, Math.max(0, Math.min(planned - now(), MAX_WAIT_MS)), planned);
      };
      const look = (planned: number) => {
        wait();
        if (now() >= planned) onFire(planned);
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
