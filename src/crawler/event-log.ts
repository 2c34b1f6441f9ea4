import type { AnimeEvent, Change } from '../domain/event.ts';

/** For whoever was away: a bot on holiday. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
/** A source that changes its whole list again and again shall not fill the store. */
const MAX_KEPT = 10_000;

/**
 * The log that follows: without what is too old, with these changes after the event numbered `last`. What stands
 * after `last` is of a refresh that died before its snapshot was written: it never happened.
 */
export function appendEvents(
  log: readonly AnimeEvent[],
  changes: readonly Change[],
  { last, at }: { last: number; at: number },
): AnimeEvent[] {
  const kept = log.filter((event) => event.number <= last && event.at > at - KEPT_MS);
  const added = changes.map((change, index): AnimeEvent => ({ number: last + index + 1, at, ...change }));
  return [...kept, ...added].slice(-MAX_KEPT);
}
