import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { Happening } from '../domain/report.ts';
import { measureListing, measureRefreshes, measureStream, type WatchedListing } from './metrics/listing.ts';
import { measureRequests } from './metrics/requests.ts';
import { measureStorage, measureUploads, type WatchedStorage } from './metrics/uploads.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * What Prometheus is told, in its text format. Counters follow what is reported, gauges look when they are asked,
 * and the process itself (event loop delay, memory, processor) is measured by prom-client.
 */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = measureRequests(registry);
  const storeFailures = new Counter({
    name: 'tayang_store_failures_total',
    help: 'Times that what is stored could not be read or written.',
    registers: [registry],
  });
  const followers = [requests, measureRefreshes(registry), measureUploads(registry)];

  return {
    contentType: registry.contentType,
    read: () => registry.metrics(),
    tally: requests.tally,
    watchListing: (listing: WatchedListing) => measureListing(registry, listing),
    watchStream: (stream: { clients: number }) => measureStream(registry, stream),
    watchStorage: (storage: WatchedStorage) => measureStorage(registry, storage),
    report(happening: Happening): void {
      for (const follower of followers) follower.report(happening);
      if (happening.type === 'store-failed') storeFailures.inc();
    },
  };
}
