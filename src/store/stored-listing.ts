import type { AnimeEvent } from '../domain/event.ts';
import { changedAt, type Snapshot } from '../domain/snapshot.ts';

/** A snapshot and the events up to its last one, oldest first: one value, so that numbers and events belong together. */
export interface StoredListing {
  snapshot: Snapshot;
  events: readonly AnimeEvent[];
}

/** The epoch of a numbering that begins now. A later epoch is a larger number in base 36. */
export function beginEpoch(now: number): string {
  return Math.max(1, Math.trunc(now)).toString(36);
}

/** When an epoch began, ms since 1970. */
export function beginningOf(epoch: string): number {
  return Number.parseInt(epoch, 36);
}

/**
 * Whether the store lost data that this process has. If each has events the other lacks, the older numbering wins, or
 * the earlier event, so all processes end with the same log.
 */
export function isForgotten(stored: StoredListing | undefined, known: StoredListing): boolean {
  if (!stored) return true;
  const began = beginningOf(stored.snapshot.epoch);
  const knownBegan = beginningOf(known.snapshot.epoch);
  if (began !== knownBegan) return began > knownBegan;
  const byNumber = new Map(stored.events.map((event) => [event.number, event]));
  const parted = known.events.find((event) => !isSameEvent(event, byNumber.get(event.number) ?? event));
  if (parted) return parted.at < (byNumber.get(parted.number)?.at ?? 0);
  const missing = known.snapshot.lastEvent - stored.snapshot.lastEvent;
  return missing > 0 || (missing === 0 && revisionOf(stored) < revisionOf(known));
}

/** Whether it is the same snapshot of the same log. */
export function isSame(one: StoredListing, other: StoredListing): boolean {
  const nameOf = ({ snapshot }: StoredListing) =>
    [snapshot.epoch, snapshot.lastEvent, snapshot.revision, changedAt(snapshot)].join();
  return nameOf(one) === nameOf(other);
}

function revisionOf({ snapshot }: StoredListing): number {
  return snapshot.revision ?? 0;
}

function isSameEvent(one: AnimeEvent, other: AnimeEvent): boolean {
  return (
    (one.toldAt ?? one.at) === (other.toldAt ?? other.at) &&
    one.slug === other.slug &&
    one.type === other.type
  );
}
