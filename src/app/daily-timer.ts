import { localDay, nextLocalDay } from '../domain/local-day.ts';
import type { Report } from '../domain/operational-event.ts';

/** The clock may be set, and a machine may sleep: it is looked at more often than a day begins. */
const MAX_WAIT_MS = 60_000;

export interface DailyTimerOptions {
  timeZone: string;
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** Called in the first moments of each new day; when it rejects, again within a minute. */
  onDay: () => Promise<void>;
  report: Report;
}

/** Tells of every day that begins in a time zone. Returns the way to stop. */
export function startDailyTimer({ timeZone, now, onDay, report }: DailyTimerOptions): () => void {
  let day = localDay(timeZone, now()).date;
  let endsAt = nextLocalDay(timeZone, now());
  let hasFailed = false;
  let timer = wait();

  function wait(): NodeJS.Timeout {
    return setTimeout(look, Math.min(Math.max(endsAt - now(), 0), MAX_WAIT_MS));
  }

  function look(): void {
    const at = now();
    const today = localDay(timeZone, at).date;
    if (today !== day) {
      day = today;
      endsAt = nextLocalDay(timeZone, at);
      onDay().then(noteSuccess, noteFailure);
    }
    timer = wait();
  }

  function noteSuccess(): void {
    hasFailed = false;
  }

  function noteFailure(error: unknown): void {
    if (!hasFailed) report({ type: 'day-failed', error });
    hasFailed = true;
    day = '';
  }

  return () => clearTimeout(timer);
}
