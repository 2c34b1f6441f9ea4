import type { CalendarState } from '../crawler/broadcasts/calendar-reader.ts';
import type { CoverCount } from '../domain/cover.ts';
import type { DetailsCount } from '../domain/details.ts';
import type { WebhookState } from '../domain/health.ts';
import { listEntries } from '../domain/listing.ts';
import { listingChangedAt, type Snapshot } from '../domain/snapshot.ts';
import type { StoreHealth } from '../store/snapshot-sync.ts';
import type { FlatStatus } from '../store/source-status.ts';

/** The state of the source, the store and the snapshot as plain data; times in ms since 1970. */
export interface ListingState {
  source: Omit<FlatStatus, 'belief' | 'detailsFailed'>;
  /** When the crawl after the last good one is due; in the past when it is overdue. Null without a schedule. */
  dueAt: number | null;
  /** When a crawl or a peek is due, counted from the last good one of either, for all documents but the schedule. */
  ongoingDueAt: number | null;
  /** When the next crawl or peek is due; null without a schedule. */
  nextAttempt: number | null;
  /** Whether this process is refreshing right now. */
  isRefreshing: boolean;
  store: StoreHealth;
  /** The calendar of broadcasts; undefined where there is to be none. */
  broadcasts: CalendarState | undefined;
  /** Null until there is a snapshot, and where covers are not kept here. */
  covers: CoverCount | null;
  /** The public key for subscriptions to Web Push; undefined until it is read, and if Web Push is off. */
  pushKey: string | undefined;
  /** The receivers in the order of their configuration. */
  webhooks: WebhookState[];
  /** Null until there is one. */
  snapshot: { changedAt: number; anime: number; scheduled: number } | null;
  /** How many anime have details; null until there is a snapshot. */
  details: DetailsCount | null;
}

export function summarizeSnapshot(snapshot: Snapshot): NonNullable<ListingState['snapshot']> {
  return {
    changedAt: listingChangedAt(snapshot),
    anime: snapshot.ongoing.length,
    scheduled: listEntries(snapshot.schedule).length,
  };
}
