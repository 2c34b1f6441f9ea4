import type { Origin, Report } from '../domain/operational-event.ts';
import type { Gauges } from './metrics/gauges.ts';

/** The metrics of one thread: counters of its operational events, and gauges that are read at each scrape. */
export interface Metrics {
  /** Returns a report that counts each event and passes it on to `report`. */
  countEvents(report: Report): Report;
  /** Returns a function that counts the documents that an origin sends; undefined where nothing is measured. */
  countDocuments(origin: Origin): ((path: string, method: string, status: number) => void) | undefined;
  measure(gauges: Gauges): void;
  /** Resolves with the library's JSON: plain data, for the thread that serves the scrape. */
  read(): Promise<object[]>;
}

const NO_METRICS: Metrics = {
  countEvents: (report) => report,
  countDocuments: () => undefined,
  measure() {},
  read: async () => [],
};

/** The name of the thread that also measures the process: memory, processor, descriptors. */
export const MAIN_THREAD = 'main';

/** Creates the metrics of a thread. The metrics library is loaded only where it is needed. */
export async function openMetrics(isEnabled: boolean, thread: string): Promise<Metrics> {
  if (!isEnabled) return NO_METRICS;
  return (await import('./metrics/registry.ts')).createMetrics(thread);
}
