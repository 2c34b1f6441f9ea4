import { AppError } from '../domain/errors.ts';
import { countEntries, type RefreshSummary } from './refresh-summary.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Status } from './source-state.ts';

/** Returns the result of the refresh that another process has just made. Throws its AppError if that failed. */
export async function takeOverResult(store: SnapshotStore, status: Status): Promise<RefreshSummary> {
  const snapshot = await store.readSnapshot();
  if (status.state === 'ok' && snapshot) return { pages: 0, ...countEntries(snapshot), changes: [] };
  const code =
    status.state === null || status.state === 'ok' ? 'internal' : (`source-${status.state}` as const);
  throw new AppError(code, status.reason ?? 'the refresh that another process made left no snapshot');
}
