import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../domain/operational-event.ts';
import { type WaitOptions, waitForLease } from './leased-job.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import type { Lease } from './store.ts';
import { isForgotten } from './stored-listing.ts';

/** Every process hears of a loss within five seconds. */
const OTHERS_MS = 5_000;

interface RefillOptions {
  store: SnapshotStore;
  report: Report;
}

/**
 * Writes back what the store has forgotten, once no other process has the lease. Resolves with false at once while one
 * has it.
 */
export async function refillWhenForgotten(options: RefillOptions): Promise<boolean> {
  if (!(await findForgotten(options.store))) return true;
  const lease = await options.store.lease('refresh');
  if (!lease) return false;
  await refillStore(options, lease).finally(lease.release);
  return true;
}

/**
 * Takes the lease `refresh` on a store that has forgotten nothing. After a loss, it first lets other processes write what
 * they know.
 */
export async function leaseFilledStore(options: RefillOptions, wait: WaitOptions): Promise<Lease> {
  for (let mayLack = true; ; mayLack = false) {
    const lease = await waitForLease(options.store, 'refresh', wait);
    try {
      const wasFilled = await refillStore(options, lease);
      if (wasFilled || !mayLack) return lease;
    } catch (error) {
      await lease.release();
      throw error;
    }
    await lease.release();
    await sleep(OTHERS_MS, undefined, { signal: wait.signal });
  }
}

/** What this process knows and the store lacks; undefined when it lacks nothing. */
async function findForgotten(store: SnapshotStore) {
  const known = store.known();
  const { attemptedAt } = await store.readStatus();
  const stored = await store.readListing();
  const status = attemptedAt === null ? known.status : undefined;
  const listing = known.listing && isForgotten(stored, known.listing) ? known.listing : undefined;
  return status || listing ? { ...(status && { status }), ...(listing && { listing }) } : undefined;
}

/**
 * Writes back what this process knows and the store has forgotten: the snapshot with its events, and the status, so that
 * numbers go on and what was pending stays so. Resolves with whether the store had everything.
 */
export async function refillStore({ store, report }: RefillOptions, lease: Lease): Promise<boolean> {
  const forgotten = await findForgotten(store);
  if (!forgotten) return true;
  await store.write(lease, forgotten);
  if (forgotten.listing) report({ type: 'store-refilled', events: forgotten.listing.events.length });
  return false;
}
