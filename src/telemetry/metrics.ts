import type { createMetrics } from './metrics/registry.ts';

/** The metrics of one thread: counters of its operational events, and gauges that are read at each scrape. */
export type Metrics = ReturnType<typeof createMetrics>;

const NO_METRICS: Metrics = {
  countEvents: (report) => report,
  countDocuments: () => undefined,
  measure() {},
  read: async () => [],
};

/** Creates the metrics of a thread. The metrics library is loaded only where it is needed. */
export async function openMetrics(isEnabled: boolean, thread: 'main' | 'crawler' | 'uploads') {
  return isEnabled ? (await import('./metrics/registry.ts')).createMetrics(thread) : NO_METRICS;
}
