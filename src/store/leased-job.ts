import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../domain/operational-event.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Lease, LeaseName } from './store.ts';

/** How often a process without the lease tries to take over, and the wait after the store failed. */
const LEASE_ATTEMPT_MS = 2_000;

const LEASE_POLL_MS = 100;

/**
 * Takes a lease, once no other process has it; `onWait` is called when one has. Rejects with the reason of `signal` when that
 * aborts.
 */
export async function waitForLease(
  store: Pick<SnapshotStore, 'lease'>,
  name: LeaseName,
  { onWait, signal }: { onWait?: () => void; signal?: AbortSignal } = {},
): Promise<Lease> {
  let lease = await store.lease(name);
  if (!lease) onWait?.();
  while (!lease) {
    await sleep(LEASE_POLL_MS, undefined, { signal });
    lease = await store.lease(name);
  }
  return lease;
}

interface LeasedJobOptions {
  store: Pick<SnapshotStore, 'lease'>;
  name: LeaseName;
  /** What is done under the lease, for the report of a failure. */
  doing: string;
  /** Ends when `signal` is aborted. Calls `noteStart` once it does its work: the next failure is news then. */
  work: (lease: Lease, signal: AbortSignal, noteStart: () => void) => Promise<void>;
  report: Report;
}

/**
 * Does a job in one process at a time, of all that share a store: the one with the lease. When that process ends, or its job
 * fails, another one or the same one begins. Returns the function that stops it; `work` sees that by its signal.
 */
export function startLeasedJob({ store, name, doing, work, report }: LeasedJobOptions): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let hasFailed = false;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        const lease = await store.lease(name);
        await (lease && work(lease, signal, noteStart).finally(lease.release));
      } catch (error) {
        if (!hasFailed && !signal.aborted) report({ type: 'store-failed', doing, error });
        hasFailed = true;
      }
      await sleep(LEASE_ATTEMPT_MS, undefined, { signal }).catch(() => {});
    }
  }

  function noteStart(): void {
    hasFailed = false;
  }

  const ended = run();
  return () => {
    stopping.abort();
    return ended;
  };
}
