import type { SourceState } from '../../crawler/source-state.ts';

/**
 * Presents `Cache-Status` (RFC 9211), which tells clients a stale copy from a fresh one, and why it is stale. `dueAt`:
 * when the document is confirmed next, counted from the last good time; null where nothing is timed. `ttl` is negative
 * once that is past. Times in ms since 1970.
 */
export function presentCacheStatus(
  state: SourceState | null | undefined,
  dueAt: number | null | undefined,
  now: number,
): string {
  const ttl = dueAt == null ? '' : `; ttl=${Math.floor((dueAt - now) / 1_000)}`;
  return `tayang; hit${ttl}; detail=${state ?? 'ok'}`;
}
