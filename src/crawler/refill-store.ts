import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Release, SnapshotStore } from './snapshot-store.ts';
import { compareListings, renewEpoch, type StoredListing } from './stored-listing.ts';
import { writeListing } from './write-listing.ts';

/** Every process hears of a loss within five seconds. */
const OTHERS_MS = 5_000;

const LEASE_POLL_MS = 100;

interface WaitOptions {
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

interface RefillOptions {
  store: SnapshotStore;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/**
 * Writes back what the store has forgotten, once no other process has the lease. Resolves with false at once while one
 * has it.
 */
export async function refillWhenForgotten(options: RefillOptions): Promise<boolean> {
  const { listing, status } = await findForgotten(options.store);
  if (!listing && !status) return true;
  const release = await options.store.lease();
  if (!release) return false;
  await refillStore(options).finally(release);
  return true;
}

/**
 * Takes the lease `refresh` on a store that has forgotten nothing. After a loss, it first lets other processes write what
 * they know.
 */
export async function leaseFilledStore(options: RefillOptions, wait: WaitOptions): Promise<Release> {
  for (let mayLack = true; ; mayLack = false) {
    const release = await waitForLease(options.store, wait);
    try {
      const wasFilled = await refillStore(options);
      if (wasFilled || !mayLack) return release;
    } catch (error) {
      await release();
      throw error;
    }
    await release();
    await sleep(OTHERS_MS, undefined, { signal: wait.signal });
  }
}

/** What this process knows and the store lacks. `fork`: the later listing that the store has instead. */
async function findForgotten(store: SnapshotStore) {
  const known = store.known();
  const { attemptedAt } = await store.readStatus();
  const stored = await store.readListing();
  const relation = known.listing ? compareListings(known.listing, stored) : 'next';
  return {
    status: attemptedAt === null ? known.status : undefined,
    listing: relation === 'next' ? undefined : known.listing,
    fork: relation === 'forked' ? stored?.snapshot : undefined,
  };
}

/**
 * Writes back what this process knows and the store has forgotten: the snapshot, its events and the status, so that
 * numbers go on and what was pending stays so. To be called under the lease `refresh`. Resolves with whether the store
 * had everything.
 */
export async function refillStore({ store, report, now }: RefillOptions): Promise<boolean> {
  const { status, listing, fork } = await findForgotten(store);
  if (status) await store.writeStatus(status);
  if (listing && fork) await joinFork({ store, now }, listing, fork);
  else if (listing) await store.writeSnapshot(listing.snapshot, listing.events);
  if (listing) report({ type: 'store-refilled', events: listing.events.length });
  return !status && !listing;
}

/**
 * The store has a later listing from a process that did not know the last events. It follows what is known as a change:
 * its events get the next numbers. Where both gave the same numbers to different events, the epoch is another one.
 */
async function joinFork(
  { store, now }: Pick<RefillOptions, 'store' | 'now'>,
  known: StoredListing,
  fork: Snapshot,
): Promise<void> {
  const isSameEpoch = fork.epoch === known.snapshot.epoch;
  const base = {
    ...(isSameEpoch ? renewEpoch(known.snapshot, now()) : known.snapshot),
    // Times do not go back for those who read the fork.
    scheduleChangedAt: Math.max(known.snapshot.scheduleChangedAt, fork.scheduleChangedAt),
    ongoingChangedAt: Math.max(known.snapshot.ongoingChangedAt, fork.ongoingChangedAt),
  };
  const { schedule, ongoing } = fork;
  const { mirror } = await store.readStatus();
  const { snapshot } = await writeListing({ store, now, mirror: mirror ?? '' }, { schedule, ongoing }, base);
  if (snapshot === base) await store.writeSnapshot(base);
}
