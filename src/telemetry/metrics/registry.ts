import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Metrics } from '../metrics.ts';
import { addCounters } from './counters.ts';
import { type MeasuredMetric, threadGauges } from './gauges.ts';

/** The upper ones are for uploads and downloads, which take as long as the client's connection needs. */
const BUCKETS_S = [0.005, 0.05, 0.5, 5, 30, 300];
/** Limits the number of labels. Further documents are counted as `others`. */
const MAX_DOCUMENT_ROUTES = 200;

/** Creates the metrics of a thread, in a registry of their own. The main one also measures the process. */
export function createMetrics(thread: string): Metrics {
  const registry = new Registry();
  if (thread === 'main') collectDefaultMetrics({ register: registry });
  const counters = addCounters(registry);
  const duration = new Histogram({
    name: 'tayang_request_duration_seconds',
    help: 'Time to a response; not of documents, whose time is that of the event loop.',
    labelNames: ['origin', 'route'] as const,
    buckets: BUCKETS_S,
    registers: [registry],
  });
  measure(threadGauges(thread));

  function measure(gauges: readonly MeasuredMetric[]): void {
    for (const gauge of gauges) addMeasured(registry, gauge);
  }

  return {
    countEvents: (report) => (event) => {
      counters.countEvent(event);
      if (event.type === 'request-answered') {
        const { origin, route, tookMs } = event;
        duration.observe({ origin, route: route ?? 'none' }, tookMs / 1_000);
      }
      report(event);
    },
    countDocuments(origin) {
      const routes = new Set<string>();
      return (path, method, status) => {
        if (routes.size < MAX_DOCUMENT_ROUTES) routes.add(path);
        counters.countRequest({ origin, route: routes.has(path) ? path : 'others', method, status });
      };
    },
    measure,
    read: () => registry.getMetricsAsJSON(),
  };
}

function addMeasured(registry: Registry, { name, help, label, isCounter, read }: MeasuredMetric): void {
  const options = { name, help, labelNames: label ? [label] : [], registers: [registry] };
  /** One that fails must not fail the whole scrape. */
  const readSamples = async (): Promise<[labels: Record<string, string>, value: number][]> => {
    const values = await Promise.try(read).catch(() => Number.NaN);
    if (typeof values === 'number') return [[{}, values]];
    return Object.entries(values).map(([labelled, value]) => [label ? { [label]: labelled } : {}, value]);
  };
  if (isCounter)
    new Counter<string>({
      ...options,
      async collect() {
        const samples = await readSamples();
        this.reset();
        for (const [labels, value] of samples) this.inc(labels, value);
      },
    });
  else
    new Gauge<string>({
      ...options,
      async collect() {
        for (const [labels, value] of await readSamples()) this.set(labels, value);
      },
    });
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
