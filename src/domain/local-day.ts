import { DAY_MS } from './units.ts';

/** The format of the last zone: making one takes far longer than using it, and a process has one zone. */
let lastFormat: Intl.DateTimeFormat | undefined;
let lastZone: string | undefined;

/** The calendar day of a moment (ms since 1970) in a time zone, `2026-11-20`. */
export function localDay(timeZone: string, ms: number): string {
  if (!lastFormat || lastZone !== timeZone) {
    lastFormat = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
    lastZone = timeZone;
  }
  return lastFormat.format(ms);
}

/** The place of such a day's weekday in `DAYS`: 0 for Monday. */
export function weekdayOf(date: string): number {
  return (new Date(date).getUTCDay() + 6) % 7;
}

/** `2026-11-30`, 2 → `2026-12-02`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}
