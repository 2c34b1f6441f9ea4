import { isDeepStrictEqual } from 'node:util';
import { changedAt, type Listing, type Snapshot } from '../domain/listing.ts';
import { findToldEpisodes } from './changes.ts';

/**
 * The snapshot that follows `lastGood`: the same object when nothing is different. HTTP dates have seconds, so two
 * changes are at least one apart, or a client that asks "since?" would miss the second.
 */
export function nextSnapshot(listing: Listing, lastGood: Snapshot | undefined, now: number): Snapshot {
  if (!lastGood) return { ...listing, scheduleChangedAt: now, ongoingChangedAt: now, lastEvent: 0 };
  const at = Math.max(now, changedAt(lastGood) + 1_000);
  const isSameSchedule = isDeepStrictEqual(listing.schedule, lastGood.schedule);
  const isSameOngoing = isDeepStrictEqual(listing.ongoing, lastGood.ongoing);
  if (isSameSchedule && isSameOngoing) return lastGood;
  return {
    ...listing,
    scheduleChangedAt: isSameSchedule ? lastGood.scheduleChangedAt : at,
    ongoingChangedAt: isSameOngoing ? lastGood.ongoingChangedAt : at,
    lastEvent: lastGood.lastEvent,
    toldEpisodes: findToldEpisodes(lastGood, listing),
  };
}
