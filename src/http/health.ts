import type Router from '@koa/router';
import type { Dependencies, ThreadState } from '../domain/health.ts';
import type { Edition } from '../publishing/edition.ts';
import type { ListingState } from '../publishing/listing-state.ts';
import type { Readiness } from '../publishing/schemas/responses.ts';
import type { FromSchema } from '../publishing/schemas/schema.ts';

/** The current state of the listing, as requests and probes see it. */
export interface ListingView {
  /** Undefined until there is a snapshot. */
  edition(): Edition | undefined;
  /** Undefined until the crawler has sent it for the first time. */
  state(): ListingState | undefined;
  threads(): Record<string, ThreadState>;
  dependencies(): Dependencies;
  /**
   * Whether this process serves the listing. One that does not is ready when its threads run, and the store or the storage
   * that it works for answers.
   */
  servesListing: boolean;
  /** Whether the process has been told to stop: it is then not ready, so that no proxy sends it more. */
  isStopping(): boolean;
  /** Wall clock, ms since 1970. */
  now(): number;
}

/** The routes of probes: whether the process runs, and whether it is ready. `defaultHeaders` makes them uncacheable. */
export function routeHealth(router: Router, view: ListingView): void {
  router.get('/healthz', (ctx) => {
    ctx.body = { status: true };
  });
  router.get('/readyz', (ctx) => {
    const readiness = presentReadiness(view);
    ctx.status = readiness.status ? 200 : 503;
    ctx.body = readiness;
  });
}

/** Presents `/readyz`: whether the listing can be served, and the state of the source, the store and the threads. */
function presentReadiness(view: ListingView): FromSchema<typeof Readiness> {
  const state = view.state();
  const { store, storage, limiter, scanner } = view.dependencies();
  const status = isReady(view);
  return {
    status,
    source: {
      state: state?.source.state ?? null,
      since: toIso(state?.source.since),
      reason: state?.source.reason ?? null,
      readAt: toIso(state?.source.readAt),
      nextAttempt: toIso(state?.nextAttempt),
      pending: presentPending(state?.source.pending),
      repaired: (state?.source.repaired ?? []).map(presentRepair),
      details: state?.details ?? { known: 0, missing: 0, failed: 0 },
    },
    dependencies: { store, storage, limiter, scanner },
    snapshot: status && state?.snapshot ? presentSnapshot(state.snapshot, state.source) : null,
    store: {
      state: state?.store.state ?? (store === 'absent' ? 'absent' : 'down'),
      since: toIso(state?.store.since),
      reason: state?.store.reason ?? null,
      writable: state?.store.writable ?? null,
      damagedAt: toIso(state?.store.damagedAt),
    },
    broadcasts: {
      state: state?.broadcasts.state ?? 'absent',
      readAt: toIso(state?.broadcasts.readAt),
    },
    webhooks: (state?.webhooks ?? []).map((webhook) => ({
      ...webhook,
      since: toIso(webhook.since),
      nextAttempt: toIso(webhook.nextAttempt),
    })),
    threads: Object.fromEntries(
      Object.entries(view.threads()).map(([name, thread]) => [
        name,
        { ...thread, since: toIso(thread.since) },
      ]),
    ),
  };
}

function isReady(view: ListingView): boolean {
  const { servesListing, edition, state, threads, dependencies } = view;
  if (view.isStopping()) return false;
  if (servesListing) return edition() !== undefined && state()?.snapshot != null;
  const { store, storage } = dependencies();
  const areRunning = Object.values(threads()).every(({ state }) => state === 'running');
  return areRunning && store !== 'down' && storage !== 'down';
}

function presentPending(pending: ListingState['source']['pending'] | undefined) {
  return pending ? { reason: pending.reason, since: toIso(pending.since) ?? '' } : null;
}

function presentRepair({ field, was, now, agreement, since }: ListingState['source']['repaired'][number]) {
  return { field, was, now, agreement, since: toIso(since) ?? '' };
}

function presentSnapshot(
  { changedAt, ...counts }: NonNullable<ListingState['snapshot']>,
  { refreshedAt, omitted, keptFromBefore }: ListingState['source'],
) {
  return {
    refreshedAt: toIso(refreshedAt ?? changedAt),
    changedAt: toIso(changedAt),
    ...counts,
    omitted,
    keptFromBefore,
  };
}

/** ISO 8601; null for Infinity too, which means never. */
function toIso(ms: number | null | undefined): string | null {
  return ms == null || !Number.isFinite(ms) ? null : new Date(ms).toISOString();
}
