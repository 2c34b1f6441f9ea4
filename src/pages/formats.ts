import { MONTHS, type Month, type ShortDate } from '../domain/source-date.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/units.ts';
import { fill, type Html, html } from './html.ts';
import type { UploadTranslations } from './i18n/translations.ts';

/** How pages write moments, durations and sizes in a language. */

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
  const longWeekday = ofDate({ weekday: 'long' });
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
    /** `Jumat` and `20 Nov` */
    column: (date: string) => [longWeekday(date), shorts(Date.parse(date))] as const,
    /** `Jum` */
    weekday: ofDate(SHORT_WEEKDAY),
    /** `20 November 2026` */
    fullDay: ofDate({ dateStyle: 'long' }),
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

/** The expiry of a file, as a page shows it. */
export interface Expiry {
  /** `dalam 23 jam, 21.40 WIB` */
  shown: Html;
  /** `Min, 22 Nov, 21.40 WIB` */
  date: string;
}

/** Presents an expiry; times in ms since 1970. `exact`: the expiry in the API's format, for the title. */
export type PresentExpiry = (expiresAt: number, now: number, exact: string) => Expiry;

export function createExpiry({ locale, expiresIn }: UploadTranslations, timeZone: string): PresentExpiry {
  const { clock, momentText } = createTimes(locale, timeZone);
  return (expiresAt, now, exact) => {
    const leftMs = Math.max(0, expiresAt - now);
    const date = momentText(expiresAt);
    // Less than a day ahead, the time of day is enough.
    const at = leftMs < DAY_MS ? clock(expiresAt) : date;
    const text = fill(expiresIn, { left: formatDuration(leftMs, locale), at });
    const iso = new Date(expiresAt).toISOString();
    return { shown: html`<time datetime="${iso}" title="${exact}">${text}</time>`, date };
  };
}

/** `82800000` → `23 jam`, in whole units: days and hours from two on, or exactly one hour, else minutes or seconds. */
export function formatDuration(ms: number, locale: string, unitDisplay: 'long' | 'short' = 'long'): string {
  const [unit, size] = unitOf(ms);
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay });
  return format.format(Math.round(ms / size));
}

function unitOf(ms: number): [unit: string, ms: number] {
  if (ms >= 2 * DAY_MS) return ['day', DAY_MS];
  if (ms >= 2 * HOUR_MS || ms === HOUR_MS) return ['hour', HOUR_MS];
  return ms >= MINUTE_MS ? ['minute', MINUTE_MS] : ['second', 1_000];
}

/** A size as the API gives it in the language of a page: `1.21 MB` → `1,21 MB`, `100.00 MB` → `100 MB`. */
export function localizeSize(size: string, locale: string): string {
  const [value, unit] = size.split(' ');
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(Number(value))} ${unit}`;
}
