import { MONTHS, type Month, type ShortDate } from '../domain/listing.ts';
import { type Html, html } from './html.ts';

/** The source names no year. A leap year has every date. */
const LEAP_YEAR = 2024;
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const DAY = { day: 'numeric', month: 'short' } as const;
const SHORT_WEEKDAY = { weekday: 'short' } as const;

/** Moments (ms since 1970) and dates (such as `2026-11-20`) as a page shows them, in one language and one time zone. */
export type Times = ReturnType<typeof createTimes>;

export function createTimes(locale: string, timeZone: string) {
  const zone = createZoneName(timeZone);
  const formatter = (options: Intl.DateTimeFormatOptions, zone = timeZone) => {
    const { format } = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
    return (ms: number) => format(ms);
  };
  const ofDate = (options: Intl.DateTimeFormatOptions) => {
    const format = formatter(options, 'UTC');
    return (date: string) => format(Date.parse(date));
  };
  const clock = formatter(CLOCK);
  const weekdayAt = formatter(SHORT_WEEKDAY);
  const moments = formatter({ ...SHORT_WEEKDAY, ...DAY, ...CLOCK });
  const shorts = formatter(DAY, 'UTC');
  const numbers = new Intl.NumberFormat(locale);
  const momentText = (ms: number) => `${moments(ms)} ${zone(ms)}`;

  return {
    timeZone,
    /** `Jum, 20 Nov, 14.05 WIB` */
    momentText,
    /** The same in a `time` element. */
    moment: (ms: number) => timeElement(ms, momentText(ms)),
    /** `14.05 WIB` */
    clock: (ms: number) => `${clock(ms)} ${zone(ms)}`,
    /** `14.05` in a `time` element, for a page that names the day. */
    hour: (ms: number) => timeElement(ms, clock(ms), html` data-hour`),
    /** `Jum 14.05` in a `time` element. */
    dayHour: (ms: number) => timeElement(ms, `${weekdayAt(ms)} ${clock(ms)}`, html` data-hour`),
    /** `Jumat`, of a moment. */
    weekdayOf: formatter({ weekday: 'long' }),
    /** `Jum`, of a moment. */
    weekdayAt,
    /** `Jumat, 20 Nov` */
    column: ofDate({ weekday: 'long', ...DAY }),
    /** `Jum` */
    weekday: ofDate(SHORT_WEEKDAY),
    /** `20 November 2026` */
    fullDay: ofDate({ dateStyle: 'long' }),
    /** `7,44` */
    number: (value: number) => numbers.format(value),
    /** `15 Agu` in the language of the page. */
    short(date: ShortDate): string {
      const [day, month] = date.split(' ') as [string, Month];
      return shorts(Date.UTC(LEAP_YEAR, MONTHS.indexOf(month), Number(day)));
    },
  };
}

/** The name of a zone at a moment, in every language as Indonesia says it: `WIB`, not `GMT+7`. */
function createZoneName(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('id-ID', { timeZone, timeZoneName: 'short' });
  return (ms) => format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** To the minute, as it is shown. */
function timeElement(ms: number, text: string, attributes: Html | [] = []): Html {
  return html`<time${attributes} datetime="${new Date(ms).toISOString().slice(0, 16)}Z">${text}</time>`;
}
