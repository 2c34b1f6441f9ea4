import { localDay, nextLocalDay } from './domain/local-day.ts';
import type { Report } from './domain/report.ts';

/** The clock may be set, and a machine may sleep: it is looked at more often than a day begins. */
const MOST_WAIT_MS = 60_000;

export interface EachDayOptions {
  timeZone: string;
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** Called in the first moments of each new day. */
  onDay: () => Promise<void>;
  report: Report;
}

/** Tells of every day that begins in a time zone. Returns the way to stop. */
export function eachDay({ timeZone, now, onDay, report }: EachDayOptions): () => void {
  let day = localDay(timeZone, now()).date;
  let timer = wait();

  function wait(): NodeJS.Timeout {
    const at = now();
    return setTimeout(look, Math.min(nextLocalDay(timeZone, at) - at, MOST_WAIT_MS));
  }

  function look(): void {
    const today = localDay(timeZone, now()).date;
    if (today !== day) onDay().catch((error: unknown) => report({ type: 'day-failed', error }));
    day = today;
    timer = wait();
  }

  return () => clearTimeout(timer);
}
