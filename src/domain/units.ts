/** Parses and formats sizes, durations and times. 1 MB is 1,048,576 bytes. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;

const DURATIONS = { ms: 1, s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const SIZES = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** `500ms`, `1.5h`, `0` → ms; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  return parseQuantity(text, DURATIONS);
}

/** `100 MB`, `64KB`, `0` → bytes; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  return parseQuantity(text, SIZES);
}

/** `512 B`, `1.21 MB`. */
export function formatSize(bytes: number): string {
  const [unit, size] = Object.entries(SIZES).findLast(([, minBytes]) => bytes >= minBytes) ?? ['B', 1];
  return unit === 'B' ? `${bytes} B` : `${(bytes / size).toFixed(2)} ${unit}`;
}

function parseQuantity<Unit extends string>(text: string, units: Record<Unit, number>): number | undefined {
  if (text === '0') return 0;
  const match = /^(\d+(?:\.\d+)?)\s*([a-zA-Z]+)$/u.exec(text);
  const factor = match && Object.entries<number>(units).find(([unit]) => unit === match[2])?.[1];
  return factor ? Math.round(Number(match[1]) * factor) : undefined;
}

/** ms since 1970 in ISO 8601; null for null, and for Infinity, which means never. */
export function toIso(ms: number): string;
export function toIso(ms: number | null | undefined): string | null;
export function toIso(ms: number | null | undefined): string | null {
  return ms == null || !Number.isFinite(ms) ? null : new Date(ms).toISOString();
}

/** Returns a formatter of ms since 1970 as `HH:mm:ss DD/MM/YYYY` in that zone. */
export function timeFormatter(timeZone: string): (ms: number) => string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' });
  const date = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short' });
  return (ms) => `${time.format(ms)} ${date.format(ms)}`;
}
