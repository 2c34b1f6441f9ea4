import type { KnownDetails } from './details.ts';
import type { Ledger } from './ledger.ts';
import { type Day, type Listing, listedSlugs, type OngoingAnime } from './listing.ts';
import { DAY_MS } from './units.ts';

/** The last good listing, and when each part of it last changed (ms since 1970). */
export interface Snapshot extends Listing {
  scheduleChangedAt: number;
  ongoingChangedAt: number;
  /** Identifies the numbering of events. A new one begins if no process remembers the events of a listing. */
  epoch: string;
  /** Counts the writes: of two snapshots with the same events, the later one has the larger number. */
  revision?: number;
  /** The number of the last event that this snapshot includes; later events are not visible yet. 0 before the first. */
  lastEvent: number;
  /** The anime that left the ongoing list in the last 90 days; absent in a snapshot that was stored before. */
  left?: Record<string, LeftAnime>;
  /** The same for the anime that left the schedule and are not in the ongoing list. */
  leftSchedule?: Record<string, LeftSlot>;
  /** The slugs that the source has corrected in the last 90 days, by the former one. */
  renamed?: Record<string, Renamed>;
  /** What was read of the releases of the anime that are listed, or were in the last 90 days. */
  ledger: Ledger;
  /** What the pages of single anime say, by slug; absent until one was read. */
  details?: Record<string, KnownDetails>;
  /** When `details`, or the ledger because of them, last changed; absent before they did. */
  detailsChangedAt?: number;
}

/** For how long an anime is remembered after it left. */
export const LEFT_KEPT_MS = 90 * DAY_MS;

export interface Renamed {
  /** The slug that it has now. */
  to: string;
  /** ms since 1970 */
  at: number;
}

export interface LeftAnime {
  /** ms since 1970 */
  leftAt: number;
  /** Its last record. */
  anime: OngoingAnime;
}

export interface LeftSlot {
  /** ms since 1970 */
  leftAt: number;
  title: string;
  day: Day;
}

/** When an anime left both listings, by slug; ms since 1970. It lacks anime that came back. */
export function leftAtOf({ left = {}, leftSchedule = {}, ...listing }: Snapshot): Map<string, number> {
  const listed = listedSlugs(listing);
  const gone = new Set([...Object.keys(left), ...Object.keys(leftSchedule)]).difference(listed);
  const lastOf = (slug: string) => Math.max(left[slug]?.leftAt ?? 0, leftSchedule[slug]?.leftAt ?? 0);
  return new Map([...gone].map((slug) => [slug, lastOf(slug)]));
}

/**
 * The slugs that were corrected in the last 90 days, each with the slug that its anime has now. A former slug that is listed
 * again belongs to the anime that has it then. `now`: ms since 1970.
 */
export function renamedSlugs(snapshot: Snapshot, now: number): Map<string, string> {
  const known = new Set([...listedSlugs(snapshot), ...leftAtOf(snapshot).keys()]);
  const renamed = Object.entries(snapshot.renamed ?? {}).filter(
    ([from, { to, at }]) => at > now - LEFT_KEPT_MS && !known.has(from) && known.has(to),
  );
  return new Map(renamed.map(([from, { to }]) => [from, to]));
}

/** When the schedule or the ongoing list last changed, ms since 1970. */
export function listingChangedAt(snapshot: Snapshot): number {
  return Math.max(snapshot.scheduleChangedAt, snapshot.ongoingChangedAt);
}

/** When anything of the snapshot last changed, ms since 1970. */
export function changedAt(snapshot: Snapshot): number {
  return Math.max(listingChangedAt(snapshot), snapshot.detailsChangedAt ?? 0);
}
