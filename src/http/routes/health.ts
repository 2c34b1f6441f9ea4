import type { Context } from 'koa';
import { changedAt, countScheduled, type Snapshot } from '../../domain/listing.ts';
import type { StoreHealth } from '../../listing/follow-store.ts';
import type { Status } from '../../listing/source-state.ts';
import type { Edition } from '../../publishing/edition.ts';
import type { READINESS } from '../../publishing/schemas/answers.ts';
import type { Of } from '../../publishing/schemas/schema.ts';
import type { Freshness } from '../cache-status.ts';

/** What the app serves, asked anew for every request. */
export interface ListingView {
  edition(): Edition | undefined;
  snapshot(): Snapshot | undefined;
  status(): Status;
  store(): StoreHealth;
  freshness(): Freshness;
  /** When the source is asked next, ms since 1970; null where nothing is timed. */
  nextAttempt(): number | null;
  /** Whether this process is asking it right now. */
  isRefreshing(): boolean;
  now(): number;
}

/** What an operator's probe is told: whether the listing can be answered, and how the source and the store are. Times in ISO 8601. */
export function presentReadiness(view: ListingView): Of<typeof READINESS> {
  const status = view.status();
  const snapshot = view.snapshot();
  const store = view.store();
  return {
    status: snapshot !== undefined,
    source: {
      state: status.state,
      since: toIso(status.since),
      reason: status.reason,
      nextAttempt: toIso(view.nextAttempt()),
    },
    snapshot: snapshot ? presentSnapshot(snapshot, status) : null,
    store: { ...store, since: toIso(store.since), damagedAt: toIso(store.damagedAt) },
  };
}

/** The state of this very moment, for nobody to keep. */
export function sendState(ctx: Context, state: { status: boolean }): void {
  ctx.status = state.status ? 200 : 503;
  ctx.body = state;
}

function presentSnapshot(snapshot: Snapshot, status: Status) {
  return {
    refreshedAt: toIso(status.refreshedAt ?? changedAt(snapshot)),
    changedAt: toIso(changedAt(snapshot)),
    anime: snapshot.ongoing.length,
    scheduled: countScheduled(snapshot.schedule),
    omitted: status.omitted,
    keptFromBefore: status.keptFromBefore,
  };
}

function toIso(ms: number | null): string | null {
  return ms === null || !Number.isFinite(ms) ? null : new Date(ms).toISOString();
}
