import type { Config } from '../app/config.ts';
import { findForeign } from '../app/trusted-path.js';
import { AppError, describeError } from '../domain/errors.ts';
import { redactSetting } from '../domain/setting-url.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/units.ts';

/**
 * `off`: switched off, so not checked. `warning`: works, but could be better, or will soon fail. `problem`: does not work.
 */
export type Level = 'ok' | 'off' | 'warning' | 'problem';

/** Prints a line that names what works, or what is wrong and which variable or file to change. */
export type Show = (level: Level, text: string) => void;

/** Checks one part of the installation and shows the findings. An error that it throws becomes a problem. */
export type Check = (config: Config, show: Show) => Promise<void>;

/** Returns a check that is off in a process without any of these jobs. */
export function forJobs(jobs: readonly (keyof Config['serves'])[], check: Check): Check {
  return async (config, show) => {
    if (jobs.some((job) => config.serves[job])) return check(config, show);
    show('off', `not in this process (SERVE has no ${jobs.join(' and no ')})`);
  };
}

/** Runs a check. Shows a problem if it throws or if a finding takes longer than `timeoutMs`; never rejects. */
export async function runCheck(check: Check, config: Config, timeoutMs: number, show: Show): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  let isOver = false;
  const timer = setTimeout(() => {
    show('problem', `no answer within ${describeDuration(timeoutMs)}`);
    timeout.resolve();
  }, timeoutMs);
  const showInTime: Show = (level, text) => {
    if (isOver) return;
    timer.refresh();
    show(level, text);
  };
  const checked = check(config, showInTime).catch((error: unknown) =>
    showInTime('problem', `cannot be checked: ${describeError(error)}`),
  );
  await Promise.race([checked, timeout.promise]);
  isOver = true;
  clearTimeout(timer);
}

/** Tries one use of a place. Resolves with the result, or with undefined if it failed. */
export type TryUse = <Value>(failure: string, use: () => Promise<Value>) => Promise<Value | undefined>;

/** Returns a function that tries uses of the place that `variable` names, and shows failures as problems. */
export function tryPlace(place: string, variable: string, show: Show): TryUse {
  return async (failure, use) => {
    try {
      return await use();
    } catch (error) {
      // The message of an AppError is for clients; the operator needs its cause.
      const reason = describeError(error instanceof AppError ? (error.cause ?? error) : error);
      show('problem', `${place} ${failure}: ${reason}; fix that, or set ${variable}`);
      return undefined;
    }
  };
}

/** Warns if another user can change a folder of data. */
export function showForeignFolder(folder: string, show: Show): void {
  const user = process.getuid?.();
  const foreign = user === undefined ? undefined : findForeign(folder, [user]);
  if (foreign === undefined) return;
  show(
    'warning',
    `another user can change ${foreign}, and so the data in ${folder}: let only the user of the service write there`,
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

/** Removes credentials and query from a driver's URL: people paste the doctor's output into public threads. */
export function redactUrl(url: string): string {
  return redactSetting(url).replace(/\?.*/u, '');
}
