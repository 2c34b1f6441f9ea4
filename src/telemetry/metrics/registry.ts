import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { DEPENDENCIES, type Dependencies } from '../../domain/dependency.ts';
import type { OperationalEvent, Origin } from '../../domain/operational-event.ts';
import { MAIN_THREAD, type Metrics } from '../metrics.ts';
import { countRefreshes, measureEventStream, measureListing } from './listing.ts';
import { measureThread, measureThreads } from './threads.ts';
import { countModeration, countUploads, measureStorage } from './uploads.ts';
import { countWebhooks, measureWebhooks } from './webhooks.ts';

/** Creates the metrics of a thread, in a registry of their own. */
export function createMetrics(thread: string): Metrics {
  const registry = new Registry();
  if (thread === MAIN_THREAD) collectDefaultMetrics({ register: registry });
  measureThread(registry, thread);
  const requests = countRequests(registry);
  const storeFailures = new Counter({
    name: 'tayang_store_failures_total',
    help: 'Times that the store of the listing or of the uploads could not be read or written.',
    registers: [registry],
  });
  const counters = [
    requests.report,
    countRefreshes(registry),
    countUploads(registry),
    countModeration(registry),
    countWebhooks(registry),
    countPushMessages(registry),
  ];

  return {
    countEvents: (report) => (event) => {
      for (const count of counters) count(event);
      if (event.type === 'store-failed') storeFailures.inc();
      report(event);
    },
    countDocuments: requests.countDocuments,
    measureListing: (listing) => measureListing(registry, listing),
    measureWebhooks: (webhooks) => measureWebhooks(registry, webhooks),
    measureEventStream: (stream) => measureEventStream(registry, stream),
    measureStorage: (storage) => measureStorage(registry, storage),
    measureDependencies: (read) => measureDependencies(registry, read),
    measureThreads: (threads) => measureThreads(registry, threads),
    read: () => registry.getMetricsAsJSON(),
  };
}

/** Formats the metrics of all threads for Prometheus. What several threads count is added up. */
export function formatMetrics(threads: readonly object[][]): Promise<string> {
  const metrics = threads.map((list) => list.map(includeInAggregate));
  return AggregatorRegistry.aggregate(metrics).metrics();
}

/** prom-client omits metrics of the process from an aggregate of processes. Here only one thread has them. */
function includeInAggregate(metric: object): object {
  return 'aggregator' in metric && metric.aggregator === 'omit' ? { ...metric, aggregator: 'first' } : metric;
}

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Measures whether each dependency of the process works; one that is absent has no sample. */
function measureDependencies(registry: Registry, read: () => Dependencies): void {
  new Gauge({
    name: 'tayang_dependency_up',
    help: 'Whether a dependency of this process works: 1, or 0.',
    labelNames: ['name'] as const,
    registers: [registry],
    collect() {
      const states = read();
      for (const name of DEPENDENCIES)
        if (states[name] !== 'absent') this.set({ name }, states[name] === 'ok' ? 1 : 0);
    },
  });
}

/** The values of the label `method`; any other method is `other`. */
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'];

/** The upper ones are for uploads and downloads, which take as long as the client's connection needs. */
const BUCKETS_S = [0.005, 0.05, 0.5, 5, 30, 300];

/** Limits the number of labels. Further documents are counted as `others`. */
const MAX_DOCUMENT_ROUTES = 200;

/** Counts requests, refusals and refused connections. No label has a value that a client can choose. */
function countRequests(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'tayang_requests_total',
    help: 'Requests answered.',
    labelNames: ['origin', 'route', 'method', 'status'] as const,
    registers,
  });
  const refusals = new Counter({
    name: 'tayang_refusals_total',
    help: 'Requests refused, by the reason.',
    labelNames: ['origin', 'reason'] as const,
    registers,
  });
  const refusedConnections = new Counter({
    name: 'tayang_connections_refused_total',
    help: 'Connections refused because the origin, or one client, had as many as it may have.',
    labelNames: ['origin'] as const,
    registers,
  });
  for (const origin of ['listing', 'uploads', 'operations']) refusedConnections.inc({ origin }, 0);
  const duration = new Histogram({
    name: 'tayang_request_duration_seconds',
    help: 'Time to a response; not of documents, whose time is that of the event loop.',
    labelNames: ['origin', 'route'] as const,
    buckets: BUCKETS_S,
    registers,
  });

  return {
    /** Returns a function that counts the documents that an origin sends. */
    countDocuments(origin: Origin) {
      const routes = new Set<string>();
      return (path: string, method: string, status: number): void => {
        if (routes.size < MAX_DOCUMENT_ROUTES) routes.add(path);
        requests.inc({ origin, route: routes.has(path) ? path : 'others', method, status });
      };
    },
    report(event: OperationalEvent): void {
      if (event.type === 'connections-refused') refusedConnections.inc({ origin: event.origin }, event.count);
      if (event.type !== 'request-answered') return;
      const { origin, status, code } = event;
      const route = event.route ?? 'none';
      const method = METHODS.includes(event.method) ? event.method : 'other';
      requests.inc({ origin, route, method, status });
      duration.observe({ origin, route }, event.tookMs / 1_000);
      if (code) refusals.inc({ origin, reason: code });
    },
  };
}

const OUTCOMES = ['delivered', 'failed', 'gone', 'dropped'] as const;

/** Returns a function that counts messages of Web Push by what came of them. */
function countPushMessages(registry: Registry) {
  const messages = new Counter({
    name: 'tayang_push_messages_total',
    help: 'Push messages delivered, attempts that failed, subscriptions that had ended, and messages that were dropped.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  for (const outcome of OUTCOMES) messages.inc({ outcome }, 0);

  return (event: OperationalEvent): void => {
    if (event.type !== 'push-sent') return;
    for (const outcome of OUTCOMES) messages.inc({ outcome }, event[outcome]);
  };
}
