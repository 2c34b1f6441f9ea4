import type { Status } from '../crawler/source-state.ts';
import { timeFormatter } from '../domain/units.ts';
import { type Finding, formatDuration, ok, problem } from './check.ts';

/** The project began later than this, so an earlier time means that the clock was never set. */
const MIN_TIME = Date.parse('2026-01-01T00:00:00Z');
const MAX_SKEW_MS = 60_000;

interface ClockOptions {
  timeZone: string;
  now: () => number;
  /** Resolves with undefined when the store fails. */
  readStatus: () => Promise<Status | undefined>;
}

/** Expiry, the schedule and all dates depend on the clock. The last crawl in the store cannot be in the future. */
export async function* checkClock({ timeZone, now, readStatus }: ClockOptions): AsyncGenerator<Finding> {
  const time = `it is ${timeFormatter(timeZone)(now())} in ${timeZone}`;
  const advice = "set this machine's clock, or fix TIME_ZONE if only the hour is wrong";
  const aheadMs = ((await readStatus())?.attemptedAt ?? 0) - now();
  if (now() < MIN_TIME) yield problem(`${time}, which is impossible; ${advice}`);
  else if (aheadMs > MAX_SKEW_MS) {
    yield problem(`${time}, and the last crawl ended ${formatDuration(aheadMs)} later than that; ${advice}`);
  } else yield ok(`${time} (TIME_ZONE)`);
}
