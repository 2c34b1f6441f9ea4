import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Reads the store. Resolves with whether the events served from then on have all that the store had after the call; with false
 * when it did not answer.
 */
export type ReadStore = () => Promise<boolean>;

/** A listing has megabytes, and anybody can ask for an event that is to come. */
const READ_EVERY_MS = 1_000;

/** Shares the readings of the store: the calls before one begins get its result. One begins when the last one is over, once a second. */
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
