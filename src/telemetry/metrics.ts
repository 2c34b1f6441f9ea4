import type { Origin, Report } from '../domain/operational-event.ts';
import type { MeasuredMetric } from './metrics/gauges.ts';

/** The metrics of one thread: counters of its operational events, and gauges that are read at each scrape. */
export interface Metrics {
  /** Returns a report that counts each event and passes it on. */
  countEvents(report: Report): Report;
  /** Returns a function that counts the documents that an origin sends; undefined where nothing is measured. */
  countDocuments(origin: Origin): DocumentCounter | undefined;
  measure(gauges: readonly MeasuredMetric[]): void;
  /** Resolves with the library's JSON: plain data, for the thread that serves the scrape. */
  read(): Promise<object[]>;
}

export type DocumentCounter = (path: string, method: string, status: number) => void;

const NO_METRICS: Metrics = {
  countEvents: (report) => report,
  countDocuments: () => undefined,
  measure() {},
  read: async () => [],
};

/** Creates the metrics of a thread. The metrics library is loaded only where it is needed. */
export async function openMetrics(
  isEnabled: boolean,
  thread: 'main' | 'crawler' | 'uploads',
): Promise<Metrics> {
  return isEnabled ? (await import('./metrics/registry.ts')).createMetrics(thread) : NO_METRICS;
}
