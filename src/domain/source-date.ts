import { DAY_MS, HOUR_MS } from './units.ts';

/**
 * Days of the source's calendar: `2026-11-20`, and as its lists have them, `20 Nov`. Its clock is UTC+7 and knows no daylight
 * saving time.
 */

export const MONTHS = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'Mei',
  'Jun',
  'Jul',
  'Agu',
  'Sep',
  'Okt',
  'Nov',
  'Des',
] as const;
export type Month = (typeof MONTHS)[number];

/** `15 Agu`: no leading zero, and no year because the source gives none. */
export type ShortDate = `${number} ${Month}`;

const SOURCE_OFFSET_MS = 7 * HOUR_MS;
/** 29 February comes after eight years at the latest. */
const MAX_YEARS = 9;
/** Cards of one day have no stable order, and a card may be a day or two older than its place in the list. */
const MAX_DISORDER_MS = 3 * DAY_MS;
/** A date that is mistyped says nothing of the cards below it: so many neighbours have to agree. */
const NEIGHBOURS = 3;

/** The source's calendar day of a moment, ms since 1970. */
export function sourceDate(ms: number): string {
  return new Date(ms + SOURCE_OFFSET_MS).toISOString().slice(0, 10);
}

/** The day of a moment as the source's lists have it: ms since 1970 → `15 Agu`. */
export function shortDate(ms: number): ShortDate {
  const date = new Date(ms + SOURCE_OFFSET_MS);
  // Every month has a name.
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] as Month}`;
}

/** The start of a day of the source's calendar, ms since 1970. */
export function startOfSourceDate(date: string): number {
  return Date.parse(date) - SOURCE_OFFSET_MS;
}

/** `15 Agu` → `2026-08-15`, in the year that puts it last before the end of the day after `now`. */
export function datedBefore(shortDate: ShortDate, now: number): string {
  return lastBefore(shortDate, now + SOURCE_OFFSET_MS + DAY_MS);
}

/**
 * The days of a list of cards, newest first, whose dates have no year: each in the last year in which it is not later than
 * the cards above it.
 */
export function dateCards(cards: readonly { date: ShortDate }[], now: number): string[] {
  let latest = now + SOURCE_OFFSET_MS + DAY_MS;
  const dates: string[] = [];
  for (const { date } of cards) {
    dates.push(lastBefore(date, latest));
    const above = dates.slice(-NEIGHBOURS);
    if (above.length < NEIGHBOURS) continue;
    latest = Math.min(latest, Math.max(...above.map((one) => Date.parse(one))) + MAX_DISORDER_MS);
  }
  return dates;
}

/** `latest`: as if the source's clock were UTC, ms since 1970. */
function lastBefore(shortDate: ShortDate, latest: number): string {
  const [day = '', name = ''] = shortDate.split(' ');
  const month = MONTHS.indexOf(name as Month);
  const lastYear = new Date(latest).getUTCFullYear();
  for (let year = lastYear; year > lastYear - MAX_YEARS; year -= 1) {
    const at = Date.UTC(year, month, Number(day));
    if (at <= latest && new Date(at).getUTCMonth() === month) return new Date(at).toISOString().slice(0, 10);
  }
  throw new Error(`${shortDate} is no day of a year`);
}

/** A year whose months all have 31 days. */
const DAYS_OF_YEAR = 12 * 31;

/**
 * Whether a date follows another one within half a year. The source gives no year, so an older date looks like a later
 * one.
 */
export function isLaterDate(date: string, other: string, maxDays = DAYS_OF_YEAR / 2): boolean {
  const days = (dayOfYear(date) - dayOfYear(other) + DAYS_OF_YEAR) % DAYS_OF_YEAR;
  return days > 0 && days <= maxDays;
}

/** `15 Agu` → its place in a year whose months all have 31 days. */
function dayOfYear(date: string): number {
  const [day, month = ''] = date.split(' ');
  const months: readonly string[] = MONTHS;
  return Number(day) + 31 * months.indexOf(month);
}
