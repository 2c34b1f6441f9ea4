import type { ListingState } from '../../publishing/listing-state.ts';

/**
 * Presents `Cache-Status` (RFC 9211), which tells clients a stale copy from a fresh one, and why it is stale. `ttl` is
 * negative once a crawl is overdue, and absent where nothing is timed. `now`: ms since 1970.
 */
export function presentCacheStatus(state: ListingState | undefined, now: number): string {
  const dueAt = state?.dueAt ?? null;
  const ttl = dueAt === null ? '' : `; ttl=${Math.floor((dueAt - now) / 1_000)}`;
  return `tayang; hit${ttl}; detail=${state?.source.state ?? 'ok'}`;
}
