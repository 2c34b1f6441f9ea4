import { collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Origin } from '../../domain/operational-event.ts';
import { MAIN_THREAD, type Metrics } from '../metrics.ts';
import CATALOGUE from './catalogue.json' with { type: 'json' };
import { addCounters, countsOf } from './counters.ts';
import { type Gauges, type Read, threadGauges } from './gauges.ts';

/** The upper ones are for uploads and downloads, which take as long as the client's connection needs. */
const BUCKETS_S = [0.005, 0.05, 0.5, 5, 30, 300];

/** Creates the metrics of a thread, in a registry of their own. */
export function createMetrics(thread: string): Metrics {
  const registry = new Registry();
  if (thread === MAIN_THREAD) collectDefaultMetrics({ register: registry });
  addGauges(registry, threadGauges(thread));
  const count = addCounters(registry);
  const duration = new Histogram({
    name: 'tayang_request_duration_seconds',
    help: 'Time to a response; not of documents, whose time is that of the event loop.',
    labelNames: ['origin', 'route'] as const,
    buckets: BUCKETS_S,
    registers: [registry],
  });

  return {
    countEvents: (report) => (event) => {
      for (const counted of countsOf(event)) count(...counted);
      if (event.type === 'request-answered')
        duration.observe({ origin: event.origin, route: event.route ?? 'none' }, event.tookMs / 1_000);
      report(event);
    },
    countDocuments: (origin) => createDocumentCounter(origin, count),
    measure: (gauges) => addGauges(registry, gauges),
    read: () => registry.getMetricsAsJSON(),
  };
}

function addGauges(registry: Registry, gauges: Gauges): void {
  // The keys of an object's own properties are those of its type.
  for (const [name, read] of Object.entries(gauges) as [keyof Gauges, Read][]) {
    const { help, label }: { help: string; label?: string } = CATALOGUE.gauges[name];
    new Gauge({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [registry],
      async collect() {
        // One gauge that fails must not fail the whole scrape.
        const values = await Promise.try(read).catch(() => Number.NaN);
        if (typeof values === 'number') this.set(values);
        else for (const [labelled, value] of Object.entries(values)) this.labels(labelled).set(value);
      },
    });
  }
}

/** Limits the number of labels. Further documents are counted as `others`. */
const MAX_DOCUMENT_ROUTES = 200;

/** Returns a function that counts the documents that an origin sends. */
function createDocumentCounter(origin: Origin, count: ReturnType<typeof addCounters>) {
  const routes = new Set<string>();
  return (path: string, method: string, status: number): void => {
    if (routes.size < MAX_DOCUMENT_ROUTES) routes.add(path);
    const route = routes.has(path) ? path : 'others';
    count('tayang_requests_total', { origin, route, method, status });
  };
}

/** Formats the metrics of all threads for Prometheus. What several threads count is added up. */
export function formatMetrics(threads: readonly object[][]): Promise<string> {
  const metrics = threads.map((list) => list.map(includeInAggregate));
  return Registry.aggregate(metrics).metrics();
}

/** The library omits metrics of the process from an aggregate of processes. Here only one thread has them. */
function includeInAggregate(metric: object): object {
  return 'aggregator' in metric && metric.aggregator === 'omit' ? { ...metric, aggregator: 'first' } : metric;
}

export const METRICS_CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
