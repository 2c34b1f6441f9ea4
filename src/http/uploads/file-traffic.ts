import { LRUCache } from 'lru-cache';
import { AppError } from '../../domain/errors.ts';
import { formatSize, HOUR_MS, MINUTE_MS } from '../../domain/units.ts';

/** The bytes that are sent are summed by the minute. */
const STEP_MS = MINUTE_MS;
/** The files that were sent last; of others it is forgotten what was sent of them. */
const MAX_FILES = 10_000;

export type FileTraffic = ReturnType<typeof createFileTraffic>;

/**
 * Limits how many bytes of one file are sent in any hour, against files that are linked from busy pages. A file that is larger
 * than that can be sent once. `elapsedMs`: monotonic clock.
 */
export function createFileTraffic(maxBytes: number, elapsedMs: () => number) {
  /** What was sent in each minute of the last hour, oldest first. */
  const sent = new LRUCache<string, Map<number, number>>({ max: MAX_FILES });

  /** Throws AppError `too-many-requests` where so many bytes more would be too many, and counts them otherwise. */
  return (id: string, bytes: number): void => {
    const minute = Math.floor(elapsedMs() / STEP_MS);
    const known = [...(sent.get(id) ?? [])].filter(([at]) => at > minute - HOUR_MS / STEP_MS);
    const minutes = new Map(known);
    let total = bytes;
    for (const amount of minutes.values()) total += amount;
    if (minutes.size > 0 && total > maxBytes)
      throw tooMuch(maxBytes, waitFor(total - maxBytes, known, elapsedMs()));
    minutes.set(minute, (minutes.get(minute) ?? 0) + bytes);
    sent.set(id, minutes);
  };
}

/** How long it takes until so many of the bytes were sent more than an hour ago, ms; until all were, where that is not enough. */
function waitFor(excess: number, minutes: readonly [minute: number, bytes: number][], nowMs: number): number {
  let left = excess;
  const last = minutes.find(([, bytes]) => {
    left -= bytes;
    return left <= 0;
  });
  return ((last ?? minutes.at(-1))?.[0] ?? 0) * STEP_MS + HOUR_MS - nowMs;
}

function tooMuch(maxBytes: number, retryAfterMs: number): AppError {
  const message = `this file has been sent too often: ${formatSize(maxBytes)} an hour is the limit; try again later`;
  return new AppError('too-many-requests', message, { retryAfterMs });
}
