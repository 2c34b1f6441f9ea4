import { redactSetting } from '../domain/redact.ts';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `3 hours`, in the largest unit that fits. */
export function inWords(ms: number): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ['second', 1_000];
  return counted(Math.round(ms / size), unit);
}

/** `1 card`, `25 cards`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** An adapter's URL without what is nobody's business: what the doctor says is pasted into threads. */
export function withoutSecrets(url: string): string {
  return redactSetting(url).replace(/\?.*/u, '');
}
