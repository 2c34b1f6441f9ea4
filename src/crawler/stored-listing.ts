import type { AnimeEvent } from '../domain/event.ts';
import { changedAt, type Snapshot } from '../domain/listing.ts';

/** A snapshot and the events up to its last one, oldest first. */
export interface StoredListing {
  snapshot: Snapshot;
  events: readonly AnimeEvent[];
}

const MAX_FORMER_EPOCHS = 8;

/**
 * How what the store has relates to what this process knows. `next`: it is that, or follows from it. `older`: the store
 * has forgotten some of it. `forked`: a process that did not know it has written something else.
 */
type Relation = 'next' | 'older' | 'forked';

/** The epoch of a numbering that begins now: of two, the one that began later is the larger number in base 36. */
export function beginEpoch(now: number): string {
  return Math.max(1, Math.trunc(now)).toString(36);
}

/** The snapshot with an epoch of its own: events that got the same numbers elsewhere cannot be confused with its own. */
export function renewEpoch(snapshot: Snapshot, now: number): Snapshot {
  const { epoch, formerEpochs = [] } = snapshot;
  const renewed = Math.max(now, startOf(epoch) + 1);
  return {
    ...snapshot,
    epoch: beginEpoch(renewed),
    formerEpochs: [epoch, ...formerEpochs].slice(0, MAX_FORMER_EPOCHS),
  };
}

/** Whether positions in the events of that epoch are positions in those of the snapshot. */
export function continuesEpoch(
  { epoch, formerEpochs = [] }: Pick<Snapshot, 'epoch' | 'formerEpochs'>,
  earlier: string,
): boolean {
  return epoch === earlier || formerEpochs.includes(earlier);
}

export function compareListings(known: StoredListing, stored: StoredListing | undefined): Relation {
  if (!stored) return 'older';
  const isLater = changedAt(stored.snapshot) > changedAt(known.snapshot);
  const otherwise = isLater ? 'forked' : 'older';
  const { epoch } = known.snapshot;
  if (stored.snapshot.epoch === epoch) {
    const isNext =
      changedAt(stored.snapshot) >= changedAt(known.snapshot) && containsLastEvent(stored, known);
    return isNext ? 'next' : otherwise;
  }
  if (continuesEpoch(stored.snapshot, epoch)) return 'next';
  if (continuesEpoch(known.snapshot, stored.snapshot.epoch)) return otherwise;
  // Each began without the other. The older numbering has more clients, and one rule for all processes ends at one of them.
  return startOf(stored.snapshot.epoch) < startOf(epoch) ? 'next' : otherwise;
}

/** Whether it is the same snapshot of the same log, which does not need to be read again. */
export function isSameSnapshot(one: Snapshot, other: Snapshot): boolean {
  return (
    changedAt(one) === changedAt(other) && one.lastEvent === other.lastEvent && one.epoch === other.epoch
  );
}

function containsLastEvent({ snapshot, events }: StoredListing, known: StoredListing): boolean {
  const { lastEvent } = known.snapshot;
  if (snapshot.lastEvent < lastEvent) return false;
  const last = known.events.at(-1);
  const same = events.find(({ number }) => number === lastEvent);
  // Both drop events that are too old.
  if (!last || !same) return true;
  return last.at === same.at && last.slug === same.slug && last.type === same.type;
}

function startOf(epoch: string): number {
  return Number.parseInt(epoch, 36);
}
