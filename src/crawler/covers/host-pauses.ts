import { HOUR_MS, MINUTE_MS } from '../../domain/units.ts';

/** After so many refusals and outages in a row, a host is left alone for a while, which doubles. */
const MAX_FAILURES_IN_ROW = 3;
const FIRST_PAUSE_MS = 15 * MINUTE_MS;
const MAX_PAUSE_MS = 6 * HOUR_MS;

interface HostState {
  failuresInRow: number;
  /** ms since 1970 */
  pausedUntil: number;
}

/** Which hosts of covers are left alone, because they refuse or do not answer. Not stored. */
export interface HostPauses {
  isPaused(host: string): boolean;
  noteAnswer(host: string): void;
  noteFailure(host: string, retryAfterMs: number | undefined): void;
  /** Forgets all other hosts. */
  keepOnly(hosts: readonly string[]): void;
}

/** `now`: wall clock, ms since 1970. */
export function createHostPauses(now: () => number): HostPauses {
  const hosts = new Map<string, HostState>();
  return {
    isPaused(host) {
      const until = hosts.get(host)?.pausedUntil ?? 0;
      // A later end was noted while the clock was ahead.
      return now() < until && until <= now() + MAX_PAUSE_MS + MINUTE_MS;
    },
    noteAnswer: (host) => void hosts.delete(host),
    noteFailure(host, retryAfterMs) {
      const failuresInRow = (hosts.get(host)?.failuresInRow ?? 0) + 1;
      const isPaused = failuresInRow >= MAX_FAILURES_IN_ROW || retryAfterMs !== undefined;
      const pauseMs = FIRST_PAUSE_MS * 2 ** Math.max(0, failuresInRow - MAX_FAILURES_IN_ROW);
      const waitMs = Math.min(Math.max(pauseMs, retryAfterMs ?? 0), MAX_PAUSE_MS);
      hosts.set(host, { failuresInRow, pausedUntil: isPaused ? now() + waitMs : 0 });
    },
    keepOnly(wanted) {
      const kept = new Set(wanted);
      for (const host of hosts.keys()) if (!kept.has(host)) hosts.delete(host);
    },
  };
}
