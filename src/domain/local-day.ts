import { DAYS, type Day, MONTHS, type ShortDate } from './listing.ts';

/** A day somewhere. */
export interface LocalDay {
  /** `2026-11-20` */
  date: string;
  day: Exclude<Day, 'Random'>;
  /** As the source writes it: `20 Nov`. */
  shortDate: ShortDate;
}

/** No day is longer, not even the one on which a clock is put back. */
const MAX_DAY_MS = 26 * 3_600_000;

/** The day that it is in that zone; `ms` since 1970. */
export function localDay(timeZone: string, ms: number): LocalDay {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  });
  const date = format.format(ms);
  const [, month = 1, dayOfMonth = 1] = date.split('-').map(Number);
  const day = DAYS[(new Date(date).getUTCDay() + 6) % 7] as LocalDay['day'];
  return { date, day, shortDate: `${dayOfMonth} ${MONTHS[month - 1] ?? 'Jan'}` };
}

/** The first moment of the next day in that zone; both in ms since 1970. Some zones have days without a midnight. */
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
