import type { AnimeEvent } from '../domain/event.ts';
import { changedAt, type Snapshot } from '../domain/listing.ts';

/** A snapshot and the events up to its last one, oldest first: one value, so that numbers and events belong together. */
export interface StoredListing {
  snapshot: Snapshot;
  events: readonly AnimeEvent[];
}

/** The epoch of a numbering that begins now: of two, the one that began later is the larger number in base 36. */
export function beginEpoch(now: number): string {
  return Math.max(1, Math.trunc(now)).toString(36);
}

/**
 * Whether the store lacks what this process knows: it was emptied or set back, or holds a numbering that began later. Where
 * each has events that the other one lacks, the store is right: of two processes that disagree, both end at the same log.
 */
export function isForgotten(stored: StoredListing | undefined, known: StoredListing): boolean {
  if (!stored) return true;
  const [began, knownBegan] = [startOf(stored), startOf(known)];
  if (began !== knownBegan) return began > knownBegan;
  if (!hasLastEventOf(known, stored)) return false;
  return !hasLastEventOf(stored, known) || changedAt(stored.snapshot) < changedAt(known.snapshot);
}

/** Whether it is the same snapshot of the same log, which does not need to be read again. */
export function isSameSnapshot(one: Snapshot, other: Snapshot): boolean {
  return (
    changedAt(one) === changedAt(other) && one.lastEvent === other.lastEvent && one.epoch === other.epoch
  );
}

function startOf({ snapshot }: StoredListing): number {
  return Number.parseInt(snapshot.epoch, 36);
}

/** Whether the log of `one` goes on from the last event of `other`. */
function hasLastEventOf({ snapshot, events }: StoredListing, other: StoredListing): boolean {
  const { lastEvent } = other.snapshot;
  if (snapshot.lastEvent < lastEvent) return false;
  const last = other.events.at(-1);
  const same = events.find(({ number }) => number === lastEvent);
  // Both drop events that are too old.
  if (!last || !same) return true;
  return last.at === same.at && last.slug === same.slug && last.type === same.type;
}
