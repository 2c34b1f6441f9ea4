import type { Report } from '../domain/operational-event.ts';

/** No timer waits for the moment itself, because the clock may be set, and the machine may sleep. */
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

  const timer = setInterval(check, CHECK_EVERY_MS);
  return () => clearInterval(timer);
}
