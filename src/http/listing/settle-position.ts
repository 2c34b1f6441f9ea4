import { setTimeout as sleep } from 'node:timers/promises';
import { type EventPosition, type RenderedEvents, rangeAfter } from '../../publishing/events.ts';
import type { ReadStore } from './read-store.ts';

/** How long a client may wait for the store. */
const MAX_WAIT_MS = 5_000;

/**
 * Waits until the log has a position, or the store was read after the call and does not have it either. Until then the process
 * that gave the client its position may simply be ahead of this one. Resolves with false if neither happens in time.
 */
export async function settlePosition(
  position: EventPosition,
  log: () => RenderedEvents,
  readStore: ReadStore,
  maxWaitMs = MAX_WAIT_MS,
): Promise<boolean> {
  const isKnown = () => rangeAfter(log(), position).isKnown;
  if (isKnown()) return true;
  const ending = new AbortController();
  const deadline = sleep(maxWaitMs, 'late' as const, { signal: ending.signal });
  deadline.catch(() => {});
  try {
    for (;;) {
      const reading = await Promise.race([readStore(), deadline]);
      if (reading === true || isKnown()) return true;
      if (reading === 'late') return false;
    }
  } finally {
    ending.abort();
  }
}
