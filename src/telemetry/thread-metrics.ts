import { AggregatorRegistry, Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { measureListing, measureRefreshes, measureStream } from './metrics/listing.ts';
import { measureRequests } from './metrics/requests.ts';
import { measureSupervisor, measureThread } from './metrics/threads.ts';
import { measureStorage, measureUploads } from './metrics/uploads.ts';
import { MAIN_THREAD, type Metrics } from './metrics.ts';

/** What a thread tells of itself, in a registry of its own. */
export function createMetrics(thread: string): Metrics {
  const registry = new Registry();
  if (thread === MAIN_THREAD) collectDefaultMetrics({ register: registry });
  measureThread(registry, thread);
  const requests = measureRequests(registry);
  const storeFailures = new Counter({
    name: 'tayang_store_failures_total',
    help: 'Times that what is stored could not be read or written.',
    registers: [registry],
  });
  const followers = [requests, measureRefreshes(registry), measureUploads(registry)];

  return {
    follow: (report) => (event) => {
      for (const follower of followers) follower.report(event);
      if (event.type === 'store-failed') storeFailures.inc();
      report(event);
    },
    countDocuments: requests.countDocuments,
    watchListing: (listing) => measureListing(registry, listing),
    watchStream: (stream) => measureStream(registry, stream),
    watchStorage: (storage) => measureStorage(registry, storage),
    watchThreads: (threads) => measureSupervisor(registry, threads),
    read: () => registry.getMetricsAsJSON(),
  };
}

/** The metrics of all threads as Prometheus reads them: what several threads count is added up. */
export function formatMetrics(threads: readonly object[][]): Promise<string> {
  const metrics = threads.map((list) => list.map(withoutOmission));
  return AggregatorRegistry.aggregate(metrics).metrics();
}

/** prom-client leaves out of an aggregate what only one process can tell; here one thread tells it for all. */
function withoutOmission(metric: object): object {
  return 'aggregator' in metric && metric.aggregator === 'omit' ? { ...metric, aggregator: 'first' } : metric;
}

export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
