import type Router from '@koa/router';
import type { Dependencies, DependencyReasons, ThreadState as ThreadHealth } from '../domain/health.ts';
import type { Edition } from '../publishing/edition.ts';
import type { ListingState } from '../publishing/listing-state.ts';
import { Readiness, ThreadState } from '../publishing/schemas/responses.ts';
import { present } from '../publishing/schemas/schema.ts';

/** The current state of the listing, as requests and probes see it. */
export interface ListingView {
  /** Undefined until there is a snapshot. */
  edition(): Edition | undefined;
  /** Undefined until the crawler has sent it for the first time. */
  state(): ListingState | undefined;
  threads(): Record<string, ThreadHealth>;
  dependencies(): Dependencies;
  reasons(): DependencyReasons;
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
function presentReadiness(view: ListingView) {
  const {
    source,
    snapshot,
    store,
    broadcasts,
    details,
    covers,
    nextAttempt,
    webhooks = [],
  } = view.state() ?? {};
  const dependencies = view.dependencies();
  const status = isReady(view);
  const { state = null, since, reason = null, readAt, pending = null, repaired = [] } = source ?? {};
  const { refreshedAt, omitted = 0, keptFromBefore = 0 } = source ?? {};
  const unchangedSince = source?.standsStill ? source.unchangedSince : null;
  const shown = status && source ? snapshot : null;
  const threads = Object.entries(view.threads()).map(([name, one]) => [name, present(ThreadState, one)]);
  return present(Readiness, {
    status,
    source: {
      state,
      since,
      reason,
      readAt,
      unchangedSince,
      nextAttempt,
      pending,
      repaired,
      details: details ?? { known: 0, missing: 0, failed: 0 },
    },
    dependencies,
    snapshot: shown
      ? { ...shown, refreshedAt: refreshedAt ?? shown.changedAt, omitted, keptFromBefore }
      : null,
    store: {
      ...(store ?? { since: null, reason: null, writable: null, damagedAt: null }),
      state: store?.state ?? (dependencies.store === 'absent' ? 'absent' : 'down'),
    },
    storage: { state: dependencies.storage, reason: view.reasons().storage ?? null },
    covers: covers ?? { known: 0, missing: 0, failed: 0 },
    broadcasts: broadcasts ?? { state: 'absent', readAt: null },
    webhooks,
    threads: Object.fromEntries(threads),
  });
}

function isReady(view: ListingView): boolean {
  const { servesListing, edition, state, threads, dependencies } = view;
  if (view.isStopping()) return false;
  if (servesListing) return edition() !== undefined && state()?.snapshot != null;
  const { store, storage } = dependencies();
  const areRunning = Object.values(threads()).every(({ state }) => state === 'running');
  return areRunning && store !== 'down' && storage !== 'down';
}
