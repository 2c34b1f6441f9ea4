import { createTask, parse, validateDetailed } from 'node-cron';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/units.ts';

/** The longest time between two runs: 29 February can be eight years away. */
const MAX_DAYS = 9 * 366;

/** The longest delay after a run of the cron expression, when other installations send their requests too. */
const MAX_JITTER_MS = 60_000;
const SAMPLED_RUNS = 10;
const MAX_LOOKAHEAD_MS = 40 * DAY_MS;

/** Describes the mistake in a cron expression; undefined if it is valid. */
export function describeCronError(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression);
  return valid ? undefined : (errors[0]?.message ?? 'it is not a cron expression');
}

/**
 * Returns the first run of a cron expression after a moment; ms since 1970. It runs at every moment whose local time
 * matches, so twice in an hour that a clock repeats; a run in an hour that a clock skips happens an hour later.
 */
export function createCron(expression: string, timeZone: string): (after: number) => number {
  const { second, minute, hour } = parse(expression);
  const minutes = hour.flatMap((hours) => minute.map((one) => hours * HOUR_MS + one * MINUTE_MS));
  const times = minutes.flatMap((at) => second.map((one) => at + one * 1_000));
  const isRunDay = createDayMatch(expression);
  const offsetAt = createOffset(timeZone);

  /** The moments at which the clocks show a local time, in ms as if it were UTC. */
  function momentsOf(local: number, [before, after]: readonly [number, number]): number[] {
    if (before === after) return [local - before];
    const shown = [local - before, local - after].filter((at) => at + offsetAt(at) === local);
    return shown.length > 0 ? shown : [local - before];
  }

  return (moment) => {
    const today = Math.floor((moment + offsetAt(moment)) / DAY_MS);
    for (let day = today; day < today + MAX_DAYS; day += 1) {
      const midnight = day * DAY_MS;
      if (!isRunDay(midnight)) continue;
      const offsets = [offsetAt(midnight - DAY_MS), offsetAt(midnight + 2 * DAY_MS)] as const;
      let first = Infinity;
      for (const time of times)
        for (const at of momentsOf(midnight + time, offsets)) if (at > moment && at < first) first = at;
      if (first < Infinity) return first;
    }
    throw new Error(`${expression} has no run within nine years`);
  };
}

/** Whether an expression has runs on a day, which is given by its beginning as if it were in UTC. */
function createDayMatch(expression: string): (midnight: number) => boolean {
  const days = expression.trim().split(/\s+/u).slice(-3).join(' ');
  const task = createTask(`* * * ${days}`, () => {}, { timezone: 'UTC' });
  // The library keeps tasks in a list until they are destroyed; only the matching of this one is needed.
  void task.destroy();
  return (midnight) => task.match(new Date(midnight));
}

/** Returns a function from a moment (ms since 1970) to how far a time zone is ahead of UTC then, in ms. */
function createOffset(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return (ms) => {
    // The text ends in `GMT-03:30`, or in `GMT` where there is no offset.
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?$/u.exec(format.format(ms)) ?? [];
    const offsetMs = Number(hours ?? 0) * HOUR_MS + Number(minutes ?? 0) * MINUTE_MS;
    return sign === '-' ? -offsetMs : offsetMs;
  };
}

/** When this installation crawls. */
export interface RefreshTimer {
  /** The first fire time after a moment, with the jitter; ms since 1970. */
  fireTimeAfter(moment: number): number;
  /** The minimum time between two fire times, ms. */
  intervalMs: number;
}

/** `jitterShare`: this installation's share of the jitter, 0 to 1. `now`: ms since 1970, from which intervals are measured. */
export function createRefreshTimer(
  expression: string,
  timeZone: string,
  jitterShare: number,
  now: number,
): RefreshTimer {
  const nextRun = cacheNextRun(createCron(expression, timeZone));
  const intervalMs = findMinInterval(nextRun, now);
  const jitter = Math.round(jitterShare * Math.min(MAX_JITTER_MS, intervalMs / 2));
  return { intervalMs, fireTimeAfter: (moment) => nextRun(moment - jitter) + jitter };
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
