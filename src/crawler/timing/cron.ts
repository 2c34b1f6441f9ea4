import { createTask, validateDetailed } from 'node-cron';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/units.ts';

/** Clocks are set forward and back at whole quarters of an hour, in every zone. */
const BLOCK_MS = 15 * MINUTE_MS;
const MAX_CLOCK_CHANGE_MS = 3 * HOUR_MS;
/** The longest time between two runs: 29 February can be eight years away. */
const MAX_AHEAD_MS = 9 * 366 * DAY_MS;

/** Says what is wrong with a cron expression; undefined when nothing is. */
export function describeCronError(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression);
  return valid ? undefined : (errors[0]?.message ?? 'it is not a cron expression');
}

/**
 * Returns the first run of a cron expression after a moment; ms since 1970. It runs at every moment whose local time
 * matches, so twice in an hour that a clock repeats; a run in an hour that a clock skips happens at its end.
 */
export function createCron(expression: string, timeZone: string): (after: number) => number {
  const matcher = createLocalMatcher(expression);
  const offsetAt = createOffset(timeZone);

  return (after) => {
    const first = Math.floor(after / BLOCK_MS) * BLOCK_MS;
    let before = offsetAt(first - 1);
    for (let block = first; block < after + MAX_AHEAD_MS; ) {
      const offset = offsetAt(block);
      if (block > after && matcher.findFirst(block + before, block + offset) !== undefined) return block;
      const run = matcher.findFirst(Math.max(block, after + 1) + offset, block + BLOCK_MS + offset);
      if (run !== undefined) return run - offset;
      before = offset;
      block += matcher.isDay(block + offset) ? BLOCK_MS : untilNextDay(block + offset);
    }
    throw new Error(`${expression} has no run within nine years`);
  };
}

/** The time to the end of a local day, less the largest change of a clock, in whole blocks; ms. */
function untilNextDay(local: number): number {
  const leftMs = DAY_MS - (local % DAY_MS) - MAX_CLOCK_CHANGE_MS;
  return Math.max(BLOCK_MS, Math.floor(leftMs / BLOCK_MS) * BLOCK_MS);
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

/** Matches local times, in ms as if they were UTC. */
function createLocalMatcher(expression: string) {
  const fields = expression.trim().split(/\s+/u);
  const [second = '0', minute = '*', hour = '*', ...days] = fields.length === 6 ? fields : ['0', ...fields];
  const seconds = listMatches(`${second} * * * * *`, 60, 1_000);
  const hours = listMatches(`* * ${hour} * * *`, 24, HOUR_MS);
  const minutes = listMatches(`* ${minute} * * * *`, 60, MINUTE_MS);
  const minutesOfDay = new Set(hours.flatMap((hourMs) => minutes.map((minuteMs) => hourMs + minuteMs)));
  const matchesDay = createMatch(`* * * ${days.join(' ')}`);
  let known = { date: Number.NaN, isMatch: false };

  function isDay(local: number): boolean {
    const date = Math.floor(local / DAY_MS);
    if (date !== known.date) known = { date, isMatch: matchesDay(date * DAY_MS) };
    return known.isMatch;
  }

  /** The first match from `from` on and before `to`. */
  function findFirst(from: number, to: number): number | undefined {
    for (let at = Math.floor(from / MINUTE_MS) * MINUTE_MS; at < to; at += MINUTE_MS) {
      if (!minutesOfDay.has(at % DAY_MS) || !isDay(at)) continue;
      const run = seconds.map((ms) => at + ms).find((moment) => moment >= from && moment < to);
      if (run !== undefined) return run;
    }
    return undefined;
  }

  return { isDay, findFirst };
}

/** The values of one field that match, in ms from its beginning. */
function listMatches(expression: string, count: number, unitMs: number): number[] {
  const isMatch = createMatch(expression);
  return Array.from({ length: count }, (_, index) => index * unitMs).filter(isMatch);
}

function createMatch(expression: string): (utc: number) => boolean {
  const task = createTask(expression, () => {}, { timezone: 'UTC' });
  // The library keeps tasks in a list until they are destroyed; only the matching of this one is needed.
  void task.destroy();
  return (utc) => task.match(new Date(utc));
}
