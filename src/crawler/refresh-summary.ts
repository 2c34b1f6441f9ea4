import type { Change } from '../domain/event.ts';
import { listEntries } from '../domain/listing.ts';
import type { Snapshot } from '../domain/snapshot.ts';

/** What came of a refresh. */
export interface RefreshSummary {
  /** Pages read in all. */
  pages: number;
  anime: number;
  /** Groups of the schedule that have entries, and those entries. */
  groups: number;
  scheduled: number;
  changes: Change[];
}

export function countEntries({
  ongoing,
  schedule,
}: Snapshot): Pick<RefreshSummary, 'anime' | 'groups' | 'scheduled'> {
  const groups = schedule.filter((group) => group.animeList.length > 0).length;
  return { anime: ongoing.length, groups, scheduled: listEntries(schedule).length };
}
