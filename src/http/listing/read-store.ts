import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Reads the store. Resolves with true once this process serves every event that the store had when this was called, and with
 * false when the store did not answer.
 */
export type ReadStore = () => Promise<boolean>;

/** A listing takes megabytes, and any client can ask for an event that does not exist yet. */
const READ_EVERY_MS = 1_000;

/**
 * Shares readings of the store: all calls before a reading begins get its result. The next reading begins after the last one
 * has ended, and at most once a second.
 */
export function shareReads(read: ReadStore, everyMs = READ_EVERY_MS): ReadStore {
  let free: Promise<unknown> = Promise.resolve();
  let next: Promise<boolean> | undefined;
  return () => {
    next ??= free.then(() => {
      next = undefined;
      const reading = read();
      free = Promise.allSettled([reading, sleep(everyMs, undefined, { ref: false })]);
      return reading;
    });
    return next;
  };
}
