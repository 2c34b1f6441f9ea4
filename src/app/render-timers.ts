import { localDay, nextLocalDay } from '../domain/local-day.ts';
import type { Report } from '../domain/operational-event.ts';

/** The clock is read at least this often, because it may be set, and the machine may sleep. */
const MAX_WAIT_MS = 60_000;

interface DailyTimerOptions {
  timeZone: string;
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** Called when a day begins, and again within a minute when it throws. */
  onDay: () => void;
  report: Report;
}

/** Calls `onDay` when a day begins in a time zone. Returns a function that stops the timer. */
export function startDailyTimer({ timeZone, now, onDay, report }: DailyTimerOptions): () => void {
  let day = localDay(timeZone, now()).date;
  let endsAt = nextLocalDay(timeZone, now());
  let hasFailed = false;
  let timer = wait();

  function wait(): NodeJS.Timeout {
    return setTimeout(check, Math.min(Math.max(endsAt - now(), 0), MAX_WAIT_MS));
  }

  function check(): void {
    const time = now();
    const today = localDay(timeZone, time).date;
    if (today !== day) begin(today, time);
    timer = wait();
  }

  function begin(today: string, time: number): void {
    endsAt = nextLocalDay(timeZone, time);
    try {
      onDay();
      day = today;
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) report({ type: 'day-failed', error });
      hasFailed = true;
    }
  }

  return () => clearTimeout(timer);
}

interface ExpectedTimerOptions {
  /** The next moment at which what is expected changes, ms since 1970; Infinity for never. */
  nextChange: () => number;
  /** Renders what is expected now. Afterwards `nextChange` is in the future. */
  onChange: () => void;
  /** Wall clock, ms since 1970. */
  now: () => number;
  report: Report;
}

/**
 * Calls `onChange` within a minute after time alone has changed what is expected, and again every minute while it throws.
 * Returns a function that stops the timer.
 */
export function startExpectedTimer({ nextChange, onChange, now, report }: ExpectedTimerOptions): () => void {
  let hasFailed = false;

  function check(): void {
    if (nextChange() > now()) return;
    try {
      onChange();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) report({ type: 'render-failed', error });
      hasFailed = true;
    }
  }

  const timer = setInterval(check, MAX_WAIT_MS);
  return () => clearInterval(timer);
}
