import { SCHEDULE_PATHS } from '../../publishing/addresses.ts';
import type { ListingState } from '../../publishing/listing-state.ts';

/**
 * Presents `Cache-Status` (RFC 9211) of the document at a path: it shows clients whether the document is stale, and why.
 * `ttl` counts to the crawl or peek that should confirm the document, timed from the last good one. It is negative once that
 * time is past, and absent where nothing is timed and before the first good crawl. `now`: ms since 1970.
 */
export function presentCacheStatus(path: string, state: ListingState | undefined, now: number): string {
  const parts = ['tayang', 'hit'];
  const dueAt = SCHEDULE_PATHS.includes(path) ? state?.dueAt : state?.ongoingDueAt;
  const { refreshedAt = null, state: detail = null } = state?.source ?? {};
  if (dueAt != null && refreshedAt !== null) parts.push(`ttl=${Math.floor((dueAt - now) / 1_000)}`);
  if (detail !== null) parts.push(`detail=${detail}`);
  return parts.join('; ');
}
