import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../domain/operational-event.ts';
import type { Release, SnapshotStore } from './snapshot-store.ts';

const LEASE_POLL_MS = 100;

/** Waits while another process refreshes; rejects with the reason of `signal` when that aborts. */
export async function waitForLease(
  store: SnapshotStore,
  report: Report,
  signal: AbortSignal,
): Promise<Release> {
  let release = await store.lease();
  if (!release) report({ type: 'refresh-elsewhere' });
  while (!release) {
    await sleep(LEASE_POLL_MS, undefined, { signal });
    release = await store.lease();
  }
  return release;
}
