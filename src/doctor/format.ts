import { redactSetting } from '../domain/redact.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/units.ts';

const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1_000],
] as const;

/** `3 hours`, in the largest unit that fits. */
export function formatDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, unitMs]) => ms >= unitMs) ?? ['second', 1_000];
  return pluralize(Math.round(ms / size), unit);
}

/** `1 card`, `25 cards`. */
export function pluralize(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** The URL of a driver without credentials and query: people paste the doctor's output into public threads. */
export function redactUrl(url: string): string {
  return redactSetting(url).replace(/\?.*/u, '');
}
