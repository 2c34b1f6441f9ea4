import { setTimeout as sleep } from 'node:timers/promises';
import type { Release, SnapshotStore } from './snapshot-store.ts';

const LEASE_POLL_MS = 100;

export interface WaitOptions {
  /** Called when another process has the lease. */
  onWait?: () => void;
  signal?: AbortSignal;
}

/** Takes the lease `refresh`, once no other process has it. Rejects with the reason of `signal` when that aborts. */
export async function waitForLease(
  store: Pick<SnapshotStore, 'lease'>,
  { onWait, signal }: WaitOptions = {},
): Promise<Release> {
  let release = await store.lease();
  if (!release) onWait?.();
  while (!release) {
    await sleep(LEASE_POLL_MS, undefined, { signal });
    release = await store.lease();
  }
  return release;
}
