import type { Snapshot } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import type { SnapshotStore } from './snapshot-store.ts';
import { compareListings, renewEpoch, type StoredListing } from './stored-listing.ts';
import { writeListing } from './write-listing.ts';

interface RefillOptions {
  store: SnapshotStore;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** Returns whether the store has everything that this process knows, or has it again. False while another process refreshes. */
export async function refillWhenForgotten(options: RefillOptions): Promise<boolean> {
  const { store } = options;
  const { listing, status } = store.known();
  const hasStatus = !status || (await store.readStatus()).attemptedAt !== null;
  const stored = await store.readListing();
  if (hasStatus && (!listing || compareListings(listing, stored) === 'next')) return true;
  const release = await store.lease();
  if (!release) return false;
  try {
    await refillStore(options);
    return true;
  } finally {
    await release();
  }
}

/**
 * Writes back what this process knows and the store has forgotten: the snapshot, its events and the status, so that
 * numbers go on and what was pending stays so. To be called under the lease `refresh`.
 */
export async function refillStore(options: RefillOptions): Promise<void> {
  const { store, report } = options;
  const { listing, status } = store.known();
  if (status?.attemptedAt && (await store.readStatus()).attemptedAt === null) await store.writeStatus(status);
  if (!listing) return void (await store.readListing());
  const stored = await store.readListing();
  const relation = compareListings(listing, stored);
  if (relation === 'next') return;
  if (relation === 'forked' && stored) await joinFork(options, listing, stored.snapshot);
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
async function joinFork({ store, now }: RefillOptions, known: StoredListing, fork: Snapshot): Promise<void> {
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
