import { DAYS, type Day, MONTHS, type ShortDate } from './listing.ts';
import { DAY_MS, HOUR_MS } from './units.ts';

/** A calendar day in a time zone. */
export interface LocalDay {
  /** `2026-11-20` */
  date: string;
  day: Exclude<Day, 'Random'>;
  /** In the notation of the source: `20 Nov`. */
  shortDate: ShortDate;
}

/** No day is longer, even when daylight saving ends. */
const MAX_DAY_MS = 26 * HOUR_MS;

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

/** The start of the next day in a time zone, found by bisection: some days have no midnight. Both in ms since 1970. */
export function nextLocalDay(timeZone: string, ms: number): number {
  const { date } = localDay(timeZone, ms);
  let [before, after] = [ms, ms + MAX_DAY_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDay(timeZone, middle).date === date) before = middle;
    else after = middle;
  }
  return after;
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
