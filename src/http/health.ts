import type Router from '@koa/router';
import type { Dependencies, ThreadState } from '../domain/health.ts';
import { toIso } from '../domain/units.ts';
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
  const { source, snapshot, store, broadcasts, details, nextAttempt, webhooks = [] } = view.state() ?? {};
  const { store: storeState, storage, limiter, scanner } = view.dependencies();
  const status = isReady(view);
  return {
    status,
    source: {
      state: source?.state ?? null,
      since: toIso(source?.since),
      reason: source?.reason ?? null,
      readAt: toIso(source?.readAt),
      nextAttempt: toIso(nextAttempt),
      pending: source?.pending ? { reason: source.pending.reason, since: toIso(source.pending.since) } : null,
      repaired: (source?.repaired ?? []).map(({ field, was, now, agreement, since }) => {
        return { field, was, now, agreement, since: toIso(since) };
      }),
      details: details ?? { known: 0, missing: 0, failed: 0 },
    },
    dependencies: { store: storeState, storage, limiter, scanner },
    snapshot: status && snapshot && source ? presentSnapshot(snapshot, source) : null,
    store: {
      state: store?.state ?? (storeState === 'absent' ? 'absent' : 'down'),
      since: toIso(store?.since),
      reason: store?.reason ?? null,
      writable: store?.writable ?? null,
      damagedAt: toIso(store?.damagedAt),
    },
    broadcasts: { state: broadcasts?.state ?? 'absent', readAt: toIso(broadcasts?.readAt) },
    webhooks: webhooks.map((one) => {
      return { ...one, since: toIso(one.since), nextAttempt: toIso(one.nextAttempt) };
    }),
    threads: Object.fromEntries(
      Object.entries(view.threads()).map(([name, one]) => [name, { ...one, since: toIso(one.since) }]),
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

function presentSnapshot(
  { changedAt, ...counts }: NonNullable<ListingState['snapshot']>,
  { refreshedAt, omitted, keptFromBefore }: ListingState['source'],
) {
  const times = { refreshedAt: toIso(refreshedAt ?? changedAt), changedAt: toIso(changedAt) };
  return { ...times, ...counts, omitted, keptFromBefore };
}
