import type { AnimeEvent, Change, EventAddresses } from '../domain/event.ts';
import { DAY_MS } from '../domain/units.ts';

/** How long events are kept for clients that were away. */
const KEPT_MS = 30 * DAY_MS;
/** Bounds the log when the source keeps changing its whole list. */
const MAX_KEPT = 10_000;

/**
 * Appends the changes to the log after the event numbered `last`, and drops events that are too old. Events after
 * `last` were left by a refresh that died before it wrote its snapshot, so they are dropped too.
 */
export function appendEvents(
  log: readonly AnimeEvent[],
  changes: readonly (Change & EventAddresses)[],
  { last, at }: { last: number; at: number },
): AnimeEvent[] {
  const kept = log.filter((event) => event.number <= last && event.at > at - KEPT_MS);
  const added = changes.map((change, index): AnimeEvent => ({ number: last + index + 1, at, ...change }));
  return [...kept, ...added].slice(-MAX_KEPT);
}
