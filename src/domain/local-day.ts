import { DAYS, type Day, MONTHS, type ShortDate } from './listing.ts';
import { DAY_MS } from './units.ts';

/** A calendar day in a time zone. */
export interface LocalDay {
  /** `2026-11-20` */
  date: string;
  day: Exclude<Day, 'Random'>;
  /** In the notation of the source: `20 Nov`. */
  shortDate: ShortDate;
}

/** The format of the last zone: making one takes far longer than using it, and a process has one zone. */
let lastFormat: Intl.DateTimeFormat | undefined;
let lastZone: string | undefined;

/** The current day in a time zone; `ms` since 1970. */
export function localDay(timeZone: string, ms: number): LocalDay {
  const date = dateFormat(timeZone).format(ms);
  const [, month = 1, dayOfMonth = 1] = date.split('-').map(Number);
  // The index is at most 6, which excludes `Random`.
  const day = DAYS[(new Date(date).getUTCDay() + 6) % 7] as LocalDay['day'];
  return { date, day, shortDate: `${dayOfMonth} ${MONTHS[month - 1] ?? 'Jan'}` };
}

/** `2026-11-30`, 2 → `2026-12-02`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Writes a moment as `2026-11-20`. */
function dateFormat(timeZone: string): Intl.DateTimeFormat {
  if (!lastFormat || lastZone !== timeZone) {
    lastFormat = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    lastZone = timeZone;
  }
  return lastFormat;
}
