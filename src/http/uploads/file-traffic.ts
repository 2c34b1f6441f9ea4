import { LRUCache } from 'lru-cache';
import { AppError } from '../../domain/errors.ts';
import { formatSize, HOUR_MS, MINUTE_MS } from '../../domain/units.ts';

/** The bytes that are sent are summed by the minute. */
const STEP_MS = MINUTE_MS;
/** The files that were sent last; of others it is forgotten what was sent of them. */
const MAX_FILES = 10_000;

/** Counts bytes of a file that are about to be sent. Throws AppError `too-many-requests` where they would be too many. */
export type FileTraffic = (id: string, bytes: number) => void;

/**
 * Limits how many bytes of one file are sent in any hour, against files that are linked from busy pages. A file that is larger
 * than that can be sent once. `elapsedMs`: monotonic clock.
 */
export function createFileTraffic(maxBytes: number, elapsedMs: () => number): FileTraffic {
  /** What was sent in each minute of the last hour, oldest first. */
  const sent = new LRUCache<string, Map<number, number>>({ max: MAX_FILES });

  return (id, bytes) => {
    const minute = Math.floor(elapsedMs() / STEP_MS);
    const known = [...(sent.get(id) ?? [])].filter(([at]) => at > minute - HOUR_MS / STEP_MS);
    const minutes = new Map(known);
    let excess = known.reduce((sum, [, amount]) => sum + amount, bytes) - maxBytes;
    if (known.length > 0 && excess > 0) {
      // What was sent until then has to be an hour old; all of it, where that is not enough.
      const until = known.find(([, amount]) => {
        excess -= amount;
        return excess <= 0;
      });
      const [at] = until ?? known.at(-1)!;
      const message = `this file has been sent too often: ${formatSize(maxBytes)} an hour is the limit; try again later`;
      throw new AppError('too-many-requests', message, {
        retryAfterMs: at * STEP_MS + HOUR_MS - elapsedMs(),
      });
    }
    minutes.set(minute, (minutes.get(minute) ?? 0) + bytes);
    sent.set(id, minutes);
  };
}
