import type { Origin, Report } from '../domain/operational-event.ts';
import type { WatchedListing } from './metrics/listing.ts';
import type { RequestCounter } from './metrics/request-counter.ts';
import type { WatchedThreads } from './metrics/threads.ts';
import type { WatchedStorage } from './metrics/uploads.ts';

/** What one thread measures. Counters follow its events, gauges look when they are read. */
export interface Metrics {
  /** A report that is counted before it is passed on. */
  follow(report: Report): Report;
  /** Counts the documents of an origin; undefined where nothing is measured. */
  countDocuments(origin: Origin): RequestCounter['add'] | undefined;
  watchListing(listing: WatchedListing): void;
  watchStream(stream: { clients: number }): void;
  watchStorage(storage: WatchedStorage): void;
  watchThreads(threads: WatchedThreads): void;
  /** As prom-client's JSON: plain data, for the thread that answers Prometheus. */
  read(): Promise<object[]>;
}

const NOTHING: Metrics = {
  follow: (report) => report,
  countDocuments: () => undefined,
  watchListing() {},
  watchStream() {},
  watchStorage() {},
  watchThreads() {},
  read: async () => [],
};

/** The main thread also measures the process: memory, processor, descriptors. */
export const MAIN_THREAD = 'main';

/** Loads what measures only where something is measured. */
export async function openMetrics(isWanted: boolean, thread: string): Promise<Metrics> {
  if (!isWanted) return NOTHING;
  return (await import('./thread-metrics.ts')).createMetrics(thread);
}
