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
const LONG_WEEKDAY = { weekday: 'long' } as const;

/** A moment in a `time` element, ms since 1970. Scripts show it again in the zone of the visitor. */
type RenderTime = (ms: number) => Html;

/** Moments (ms since 1970) and dates (such as `2026-11-20`) as a page shows them, in one language and one time zone. */
export interface Times {
  timeZone: string;
  /** `Jumat, 20 Nov, 14.05 WIB` */
  moment: RenderTime;
  /** `Jum, 20 Nov, 14.05 WIB`, as a text. */
  momentText(ms: number): string;
  /** `Jum, 20 Nov, 14.05`, for a page that names the zone. */
  short: RenderTime;
  /** `Jumat, 20 Nov` */
  date: RenderTime;
  /** `Jumat` */
  weekday: RenderTime;
  /** `14.05` */
  clock: RenderTime;
  /**
   * `14.05`, or `±14.05` of an estimate, where the page names the day; with its day of the week, `Jum ±14.05`, where it is
   * another one.
   */
  hour(ms: number, isOfDay: boolean, isEstimate: boolean): Html;
  /** `WIB` */
  zone: RenderTime;
  /** `14.05 WIB`, as a text. */
  clockText(ms: number): string;
  /** `Jumat, 20 Nov`, as a text. */
  dateText(ms: number): string;
  /** `Jum`, of a moment, as a text. */
  shortWeekdayAt(ms: number): string;
  /** `Jum`, of a date. */
  shortWeekday(date: string): string;
  /** `Jumat`, of a date. */
  longWeekday(date: string): string;
  /** `Jumat, 20 Nov`, of a date. */
  longDate(date: string): string;
  /** `20 Nov`, of a date. */
  shortDate(date: string): string;
  /** `20 November 2026`, of a date. */
  fullDate(date: string): string;
  /** `15 Agu` of the source in the language of the page. */
  sourceDate(date: ShortDate): string;
}

export function createTimes(locale: string, timeZone: string): Times {
  const zoneName = createZoneName(timeZone);
  const formatter = (options: Intl.DateTimeFormatOptions, zone = timeZone) => {
    const { format } = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
    return (ms: number) => format(ms);
  };
  const ofDate = (options: Intl.DateTimeFormatOptions) => {
    const format = formatter(options, 'UTC');
    return (date: string) => format(Date.parse(date));
  };
  const clock = formatter(CLOCK);
  const weekday = formatter(LONG_WEEKDAY);
  const shortWeekdayAt = formatter(SHORT_WEEKDAY);
  const dateText = formatter({ ...LONG_WEEKDAY, ...DAY });
  const moments = formatter({ ...LONG_WEEKDAY, ...DAY, ...CLOCK });
  const shorts = formatter({ ...SHORT_WEEKDAY, ...DAY, ...CLOCK });
  const shortDate = ofDate(DAY);

  return {
    timeZone,
    moment: (ms) => timeElement(ms, 'moment', `${moments(ms)} ${zoneName(ms)}`),
    momentText: (ms) => `${shorts(ms)} ${zoneName(ms)}`,
    short: (ms) => timeElement(ms, 'short', shorts(ms)),
    date: (ms) => timeElement(ms, 'date', dateText(ms)),
    weekday: (ms) => timeElement(ms, 'weekday', weekday(ms)),
    clock: (ms) => timeElement(ms, 'clock', clock(ms)),
    hour(ms, isOfDay, isEstimate) {
      const text = `${isOfDay ? '' : `${shortWeekdayAt(ms)} `}${isEstimate ? '±' : ''}${clock(ms)}`;
      return timeElement(ms, isEstimate ? 'estimate' : 'hour', text);
    },
    zone: (ms) => timeElement(ms, 'zone', zoneName(ms)),
    clockText: (ms) => `${clock(ms)} ${zoneName(ms)}`,
    dateText,
    shortWeekdayAt,
    shortWeekday: ofDate(SHORT_WEEKDAY),
    longWeekday: ofDate(LONG_WEEKDAY),
    longDate: ofDate({ ...LONG_WEEKDAY, ...DAY }),
    shortDate,
    fullDate: ofDate({ dateStyle: 'long' }),
    sourceDate(date) {
      const [day, month] = date.split(' ') as [string, Month];
      const at = Date.UTC(LEAP_YEAR, MONTHS.indexOf(month), Number(day));
      return shortDate(new Date(at).toISOString());
    },
  };
}

/** The name of a zone at a moment, in every language as Indonesia says it: `WIB`, not `GMT+7`. */
function createZoneName(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('id-ID', { timeZone, timeZoneName: 'short' });
  return (ms) => format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** To the minute, as it is shown. `format`: how scripts show it again; a moment needs no name. */
function timeElement(ms: number, format: string, text: string): Html {
  const attribute = format === 'moment' ? [] : html` data-format="${format}"`;
  return html`<time${attribute} datetime="${new Date(ms).toISOString().slice(0, 16)}Z">${text}</time>`;
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
  const { clockText, momentText } = createTimes(locale, timeZone);
  return (expiresAt, now, exact) => {
    const leftMs = Math.max(0, expiresAt - now);
    const date = momentText(expiresAt);
    // Less than a day ahead, the time of day is enough.
    const at = leftMs < DAY_MS ? clockText(expiresAt) : date;
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
