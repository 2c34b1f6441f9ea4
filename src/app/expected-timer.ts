import type { Report } from '../domain/operational-event.ts';

/** The clock is read so often. It may be set and a machine may sleep, so no timer waits for the moment itself. */
const CHECK_EVERY_MS = 60_000;

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
 * Calls `onChange` once time alone has changed what is expected, a minute later at most; when that fails, again after each
 * minute. Returns a function that stops the timer.
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

  const timer = setInterval(check, CHECK_EVERY_MS);
  return () => clearInterval(timer);
}
