import type { SourceState } from '../../crawler/source-state.ts';

/** How fresh the listing is and, when it is not, why. */
interface Freshness {
  state: SourceState | null;
  /** When the document is confirmed next, counted from the last good time; ms since 1970, null where nothing is timed. */
  dueAt: number | null;
}

/** `Cache-Status` (RFC 9211): a client can tell a stale copy from a fresh one. `ttl` is negative once it is overdue. */
export function presentCacheStatus({ state, dueAt }: Freshness, now: number): string {
  const ttl = dueAt === null ? '' : `; ttl=${Math.floor((dueAt - now) / 1_000)}`;
  return `tayang; hit${ttl}; detail=${state ?? 'ok'}`;
}
