import { MONTHS, type Month, type ShortDate } from '../domain/listing.ts';
import { type Html, html } from './html.ts';

/** The source names no year. A leap year has every date. */
const LEAP_YEAR = 2024;

/** Moments and dates as a page shows them, in one language and one time zone. */
export interface Times {
  timeZone: string;
  /** `Jum, 20 Nov, 14.05 WIB` in a `time` element. */
  moment(ms: number): Html;
  /** `14.05` in a `time` element, for a page that names the day. */
  hour(ms: number): Html;
  /** `Jum 14.05` in a `time` element. */
  dayHour(ms: number): Html;
  /** `Jumat`, of a moment. */
  weekdayOf(ms: number): string;
  /** `Jum`, of a moment. */
  weekdayAt(ms: number): string;
  /** `Jumat, 20 Nov`, of a date such as `2026-11-20`. */
  column(date: string): string;
  /** `Jum`, of such a date. */
  weekday(date: string): string;
  /** `20 November 2026`, of a date such as `2026-11-20`. */
  fullDay(date: string): string;
  /** `7,44` in that language. */
  number(value: number): string;
  /** `15 Agu` in that language. */
  short(date: ShortDate): string;
}

export function createTimes(locale: string, timeZone: string): Times {
  const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  const hours = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone });
  const weekdays = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone });
  const longWeekdays = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone });
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  const moments = new Intl.DateTimeFormat(locale, { ...day, ...clock, timeZone });
  const zone = createZoneName(timeZone);
  const columns = new Intl.DateTimeFormat(locale, { ...day, weekday: 'long', timeZone: 'UTC' });
  const weekdaysOfDates = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
  const fullDays = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const numbers = new Intl.NumberFormat(locale);
  const shorts = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });

  return {
    timeZone,
    moment: (ms) => timeElement(ms, `${moments.format(ms)} ${zone(ms)}`),
    hour: (ms) => timeElement(ms, hours.format(ms), html` data-hour`),
    dayHour: (ms) => timeElement(ms, `${weekdays.format(ms)} ${hours.format(ms)}`, html` data-hour`),
    weekdayAt: (ms) => weekdays.format(ms),
    weekdayOf: (ms) => longWeekdays.format(ms),
    column: (date) => columns.format(Date.parse(date)),
    weekday: (date) => weekdaysOfDates.format(Date.parse(date)),
    fullDay: (date) => fullDays.format(Date.parse(date)),
    number: (value) => numbers.format(value),
    short(date) {
      const [day, month] = date.split(' ') as [string, Month];
      return shorts.format(Date.UTC(LEAP_YEAR, MONTHS.indexOf(month), Number(day)));
    },
  };
}

/** The name of a zone at a moment, in every language as Indonesia says it: `WIB`, not `GMT+7`. */
export function createZoneName(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('id-ID', { timeZone, timeZoneName: 'short' });
  return (ms) => format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** To the minute, as it is shown. */
function timeElement(ms: number, text: string, attributes: Html | [] = []): Html {
  return html`<time${attributes} datetime="${new Date(ms).toISOString().slice(0, 16)}Z">${text}</time>`;
}
