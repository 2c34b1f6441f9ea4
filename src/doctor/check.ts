import type { Config } from '../app/config.ts';
import { findForeign } from '../app/trusted-path.js';
import { AppError, describeError } from '../domain/errors.ts';
import { redactSetting } from '../domain/setting-url.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/units.ts';

/** `warning`: works, but not as well as it could, or not for long. `problem`: does not work. */
export type Level = 'ok' | 'warning' | 'problem';

/** Prints a line: what works, or what is wrong and which variable or file to change. */
export type Tell = (level: Level, text: string) => void;

/** Checks one thing, and tells what it finds; an error that it throws becomes a problem. */
export type Check = (config: Config, tell: Tell) => Promise<void>;

/** Runs a check. Tells a problem when it throws, or when a finding takes longer than `timeoutMs`; never rejects. */
export async function runCheck(check: Check, config: Config, timeoutMs: number, tell: Tell): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  let isOver = false;
  const timer = setTimeout(() => {
    tell('problem', `no answer within ${describeDuration(timeoutMs)}`);
    timeout.resolve();
  }, timeoutMs);
  const tellInTime: Tell = (level, text) => {
    if (isOver) return;
    timer.refresh();
    tell(level, text);
  };
  const checked = check(config, tellInTime).catch((error: unknown) =>
    tellInTime('problem', `cannot be checked: ${describeError(error)}`),
  );
  await Promise.race([checked, timeout.promise]);
  isOver = true;
  clearTimeout(timer);
}

/**
 * Returns a function that tries one use of a place that a variable names, and resolves with its result; where it fails, it
 * tells that as a problem and resolves with undefined.
 */
export function tryPlace(place: string, variable: string, tell: Tell) {
  return async <Value>(failure: string, use: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await use();
    } catch (error) {
      // The message of an AppError is for clients; the operator needs its cause.
      const reason = describeError(error instanceof AppError ? (error.cause ?? error) : error);
      tell('problem', `${place} ${failure}: ${reason}; fix that, or set ${variable}`);
      return undefined;
    }
  };
}

/** Warns if another user can change a folder of data. */
export function tellForeign(folder: string, tell: Tell): void {
  const user = process.getuid?.();
  const foreign = user === undefined ? undefined : findForeign(folder, [user]);
  if (foreign === undefined) return;
  tell(
    'warning',
    `another user can change ${foreign}, and so the data in ${folder}: make sure that only the user of the service can`,
  );
}

const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1_000],
] as const;

/** `3 hours`, in the largest unit that fits. */
export function describeDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, unitMs]) => ms >= unitMs) ?? ['second', 1_000];
  return pluralize(Math.round(ms / size), unit);
}

/** `1 card`, `25 cards`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The URL of a driver without credentials and query: people paste the doctor's output into public threads. */
export function redactUrl(url: string): string {
  return redactSetting(url).replace(/\?.*/u, '');
}
