import { collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Origin, Report } from '../../domain/operational-event.ts';
import CATALOGUE from './catalogue.json' with { type: 'json' };
import { addCounters, countsOf } from './counters.ts';
import { type Gauges, type Read, threadGauges } from './gauges.ts';

/** The upper ones are for uploads and downloads, which take as long as the client's connection needs. */
const BUCKETS_S = [0.005, 0.05, 0.5, 5, 30, 300];

/** Creates the metrics of a thread, in a registry of their own. The main one also measures the process. */
export function createMetrics(thread: string) {
  const registry = new Registry();
  if (thread === 'main') collectDefaultMetrics({ register: registry });
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
    /** Returns a report that counts each event and passes it on. */
    countEvents(report: Report): Report {
      return (event) => {
        for (const counted of countsOf(event)) count(...counted);
        if (event.type === 'request-answered')
          duration.observe({ origin: event.origin, route: event.route ?? 'none' }, event.tookMs / 1_000);
        report(event);
      };
    },
    /** Returns a function that counts the documents that an origin sends; undefined where nothing is measured. */
    countDocuments: (origin: Origin): DocumentCounter | undefined => createDocumentCounter(origin, count),
    measure: (gauges: Gauges) => addGauges(registry, gauges),
    /** Resolves with the library's JSON: plain data, for the thread that serves the scrape. */
    read: (): Promise<object[]> => registry.getMetricsAsJSON(),
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

type DocumentCounter = (path: string, method: string, status: number) => void;

function createDocumentCounter(origin: Origin, count: ReturnType<typeof addCounters>): DocumentCounter {
  const routes = new Set<string>();
  return (path, method, status) => {
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
