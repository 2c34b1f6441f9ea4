import { AggregatorRegistry, Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { MAIN_THREAD, type Metrics } from '../metrics.ts';
import { measureDependencies } from './dependencies.ts';
import { countRefreshes, measureEventStream, measureListing } from './listing.ts';
import { countRequests } from './requests.ts';
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
