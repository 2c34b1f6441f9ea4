import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/units.ts';
import { fill, html } from './html.ts';
import type { UploadTranslations } from './i18n/translations.ts';
import { createTimes } from './times.ts';

/** The expiry of a file, as a page shows it: `dalam 23 jam, 21.40 WIB`, and its date: `Min, 22 Nov, 21.40 WIB`. */
export type Expiry = ReturnType<PresentExpiry>;
export type PresentExpiry = ReturnType<typeof createExpiry>;

/** Presents an expiry; times in ms since 1970. `exact`: the expiry in the API's format, for the title. */
export function createExpiry({ locale, expiresIn }: UploadTranslations, timeZone: string) {
  const { clock, momentText } = createTimes(locale, timeZone);
  return (expiresAt: number, now: number, exact: string) => {
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
