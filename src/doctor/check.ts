import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../domain/errors.ts';
import { redactSetting } from '../domain/setting-url.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/units.ts';
import type { DoctorContext } from './context.ts';

/** `warning`: works, but not as well as it could, or not for long. `problem`: does not work. */
export type Level = 'ok' | 'warning' | 'problem';

/** A line of output: what works, or what is wrong and which variable or file to change. */
export interface Finding {
  level: Level;
  text: string;
}

/** Checks one thing. It begins when the first finding is read; an error that it throws becomes a problem. */
export type Check = (context: DoctorContext) => AsyncGenerator<Finding>;

export const ok = (text: string): Finding => ({ level: 'ok', text });
export const warning = (text: string): Finding => ({ level: 'warning', text });
export const problem = (text: string): Finding => ({ level: 'problem', text });

/** Runs a check. Yields a problem when it throws, or when a finding takes longer than `timeoutMs`; never throws. */
export async function* runCheck(
  findings: AsyncGenerator<Finding>,
  timeoutMs: number,
): AsyncGenerator<Finding> {
  const timedOut = {
    done: true,
    value: problem(`no answer within ${formatDuration(timeoutMs)}`),
  } as const;
  for (;;) {
    const timer = new AbortController();
    const deadline = sleep(timeoutMs, timedOut, { signal: timer.signal });
    deadline.catch(() => {});
    try {
      const { done, value } = await Promise.race([findings.next(), deadline]);
      if (value) yield value;
      if (done) return;
    } catch (error) {
      yield problem(`cannot be checked: ${describeError(error)}`);
      return;
    } finally {
      timer.abort();
    }
  }
}

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
