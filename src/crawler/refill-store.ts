import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import { type WaitOptions, waitForLease } from './lease.ts';
import type { Release, SnapshotStore } from './snapshot-store.ts';
import { compareListings, renewEpoch, type StoredListing } from './stored-listing.ts';
import { writeListing } from './write-listing.ts';

/** Every process hears of a loss within five seconds. */
const OTHERS_MS = 5_000;

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
  const { store } = options;
  if (!(await hasForgotten(store))) return true;
  const release = await store.lease();
  if (!release) return false;
  await refillStore(options).finally(release);
  return true;
}

/**
 * Takes the lease `refresh` on a store that has forgotten nothing. After a loss, it first lets other processes write what
 * they know.
 */
export async function leaseFilledStore(options: RefillOptions, wait: WaitOptions): Promise<Release> {
  const { store } = options;
  if (await hasForgotten(store)) {
    await refillWhenForgotten(options);
    await sleep(OTHERS_MS, undefined, { signal: wait.signal });
  }
  const release = await waitForLease(store, wait);
  try {
    await refillStore(options);
    return release;
  } catch (error) {
    await release();
    throw error;
  }
}

/** Whether the store lacks anything that this process knows. */
export async function hasForgotten(store: SnapshotStore): Promise<boolean> {
  const { listing, status } = store.known();
  const hasStatus = !status || (await store.readStatus()).attemptedAt !== null;
  const stored = await store.readListing();
  return !hasStatus || (listing !== undefined && compareListings(listing, stored) !== 'next');
}

/**
 * Writes back what this process knows and the store has forgotten: the snapshot, its events and the status, so that
 * numbers go on and what was pending stays so. To be called under the lease `refresh`.
 */
export async function refillStore({ store, report, now }: RefillOptions): Promise<void> {
  const { listing, status } = store.known();
  if (status && (await store.readStatus()).attemptedAt === null) {
    await store.writeBelief(await store.readBelief());
    await store.writeStatus(status);
  }
  const stored = await store.readListing();
  if (!listing) return;
  const relation = compareListings(listing, stored);
  if (relation === 'next') return;
  if (relation === 'forked' && stored) await joinFork({ store, now }, listing, stored.snapshot);
  else await writeBack(store, listing);
  report({ type: 'store-refilled', events: listing.events.length });
}

async function writeBack(store: SnapshotStore, { snapshot, events }: StoredListing): Promise<void> {
  await store.writeEvents(events);
  await store.writeSnapshot(snapshot);
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
  await store.writeEvents(known.events);
  const { schedule, ongoing } = fork;
  const { mirror } = await store.readStatus();
  const { snapshot } = await writeListing({ store, now, mirror: mirror ?? '' }, { schedule, ongoing }, base);
  if (snapshot === base) await store.writeSnapshot(base);
}
