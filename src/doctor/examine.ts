import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../domain/errors.ts';
import { type Check, type Finding, problem } from './check.ts';
import { inWords } from './format.ts';

/** Runs a check to its end, whatever becomes of it: one that throws, or finds nothing in time, has found a problem. */
export async function* examine(check: Check, limitMs: number): AsyncGenerator<Finding> {
  const findings = check.find()[Symbol.asyncIterator]();
  const silent = { done: true, value: problem(`no answer within ${inWords(limitMs)}`) } as const;
  for (;;) {
    const timer = new AbortController();
    const deadline = sleep(limitMs, silent, { signal: timer.signal });
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
