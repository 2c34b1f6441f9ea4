import type { Report } from '../domain/operational-event.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import FAILURES from './store-failures.json' with { type: 'json' };

/** Whether the store answers, and since when (ms since 1970). Public: it contains no address and no path. */
export interface StoreHealth {
  state: 'ok' | 'down';
  since: number;
  /** Why it is down, or cannot be written. */
  reason: string | null;
  /** Whether the last write of this process worked; null when it has not written. */
  writable: boolean | null;
  /** When this process last set a damaged store aside; ms since 1970, null when it has not. */
  damagedAt: number | null;
}

/**
 * Reasons that may be shown to the public, by the code of Node's error and by the primary result code of SQLite. The log has
 * the full error.
 */
const REASONS: Record<'system' | 'sqlite', Record<string, string>> = FAILURES;

/** Follows whether the store answers, and reports when it begins and ends to fail. `now`: wall clock, ms since 1970. */
export function createStoreHealth(store: SnapshotStore, report: Report, now: () => number) {
  let read: Pick<StoreHealth, 'state' | 'since' | 'reason'> = { state: 'ok', since: now(), reason: null };

  return {
    noteAnswer(): void {
      if (read.state === 'ok') return;
      report({ type: 'dependency-restored', name: 'store', downMs: now() - read.since });
      read = { state: 'ok', since: now(), reason: null };
    },
    noteFailure(error: unknown): void {
      if (read.state === 'ok') report({ type: 'dependency-down', name: 'store', error });
      const since = read.state === 'ok' ? now() : read.since;
      read = { state: 'down', since, reason: publicReason(error) };
    },
    health(): StoreHealth {
      const { writable, error } = store.lastWrite();
      const reason = read.reason ?? (writable === false ? publicReason(error) : null);
      return { ...read, reason, writable, damagedAt: store.damagedAt() };
    },
  };
}

/** Why a store fails, without addresses and paths. */
export function publicReason(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Node's system errors and SQLite's add these properties, which Error does not declare.
    const { code = '', errcode = 0 } = cause as Error & { code?: string; errcode?: number };
    const reason = REASONS.system[code] ?? REASONS.sqlite[errcode & 0xff];
    if (reason) return reason;
  }
  return 'it does not answer as it should; the log says why';
}
