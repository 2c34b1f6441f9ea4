import { createRefresh } from '../../src/crawler/refresh.ts';
import type { RefreshTimes } from '../../src/crawler/timing/refresh-times.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createFakeSource } from './fake-source.ts';

export const HOUR = 3_600_000;
export const PEEK_MS = 180_000;

/** Opens a refresh with a fake source, by default a store in memory, and a clock that the test sets. */
export async function openTestRefresh(count = 60, driver?: Store, readsDetails = false) {
  const source = createFakeSource(count);
  const store = await openSnapshotStore(driver ?? (await openMemoryStore()), { random: () => 0.5 });
  const events: OperationalEvent[] = [];
  const clock = { now: Date.parse('2026-11-20T05:00:00Z') };
  const refresh = createRefresh({
    source,
    store,
    report: (event) => void events.push(event),
    now: () => clock.now,
    times: timesOf(() => clock.now),
    readsDetails,
  });
  const { signal } = new AbortController();
  return {
    source,
    store,
    events,
    clock,
    refresh: (force = false, known: { knownAttempt?: number | null } = {}) =>
      refresh({ force, signal, ...known }),
    peek: () => refresh({ force: false, signal, isPeek: true }),
    /** The slugs of the stored ongoing list. */
    slugs: async () => (await store.readSnapshot())?.ongoing.map((anime) => anime.slug),
  };
}

/** A crawl each hour, and a peek at each interval. */
export function timesOf(now: () => number, peekMs = PEEK_MS): RefreshTimes {
  return {
    nextCrawl: () => now() + HOUR,
    nextPeek: () => now() + peekMs,
    intervalMs: peekMs,
    maxMs: 6 * HOUR,
    maxPeekCrawls: 8,
    nextAttempt: () => undefined,
  };
}
