import type { Report } from '../domain/operational-event.ts';
import type { ThreadState } from '../domain/thread-state.ts';
import type { ListingView } from '../http/health.ts';
import type { Config } from './config.ts';
import type { Origins } from './messages.ts';
import { createReceivedListing } from './received-listing.ts';
import type { SupervisedThread } from './supervisor.ts';
import { superviseCrawler } from './threads.ts';

export interface Service {
  /** Where each listener is bound: `http://ADDRESS:PORT`; null for what this process does not serve. */
  listing: string | null;
  uploads: string | null;
  operations: string | null;
  threads: ReadonlyMap<string, SupervisedThread>;
  /** Stops accepting, finishes what is in flight, then lets go of everything. */
  stop(): Promise<void>;
}

/**
 * The composition root: starts the threads and serves the listing in this one. Throws when something cannot be opened;
 * what was opened until then is closed.
 */
export async function startService(config: Config, report: Report): Promise<Service> {
  const { listing: isListing, refresh: isRefresh } = config.serves;
  const { promise: origins, resolve: setOrigins } = Promise.withResolvers<Origins>();
  const threads = new Map<string, SupervisedThread>();
  const received = createReceivedListing();
  // The crawler takes longest: it loads while the servers are loaded here.
  if (isListing || isRefresh)
    threads.set('crawler', superviseCrawler({ config }, origins, received.receive, report));
  const view: ListingView = { ...received, threads: () => statesOf(threads), isListing, now: Date.now };
  const { openServers } = await import('./servers.ts');
  const servers = openServers({ config, origins, setOrigins, view, received, threads, report });
  return { ...(await servers.start()), threads, stop: servers.stop };
}

function statesOf(threads: ReadonlyMap<string, SupervisedThread>): Record<string, ThreadState> {
  return Object.fromEntries([...threads].map(([name, thread]) => [name, thread.state()]));
}
