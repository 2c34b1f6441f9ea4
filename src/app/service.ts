import type { Dependencies } from '../domain/health.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Config } from './config.ts';
import { createReceivedListing, type ReceivedListing } from './received-listing.ts';
import type { StartUploads } from './servers.ts';
import type { Origins } from './threads/messages.ts';
import { type StartJob, type SupervisedThread, superviseThread } from './threads/supervisor.ts';

export interface Service {
  /** The address of each server, `http://ADDRESS:PORT`; null for what this process does not serve. */
  listing: string | null;
  uploads: string | null;
  operations: string | null;
  threads: ReadonlyMap<string, SupervisedThread>;
  /** Says at /readyz that it stops, finishes what is in flight, then closes everything. */
  stop(): Promise<void>;
}

/**
 * The composition root: starts the threads, and serves the listing in this one. Throws when something cannot be opened,
 * after closing what was opened before.
 */
export async function startService(
  config: Config,
  report: Report,
  startJob: StartJob = superviseThread,
): Promise<Service> {
  const { listing: servesListing, refresh: refreshes } = config.serves;
  const { promise: origins, resolve: setOrigins } = Promise.withResolvers<Origins>();
  const threads = new Map<string, SupervisedThread>();
  const received = createReceivedListing();
  let isStopping = false;
  /** The crawler's thread tells receivers of webhooks what was reported to the uploads'. */
  const reportAndForward: Report = (event) => {
    report(event);
    if (event.type === 'file-reported') void threads.get('crawler')?.request({ kind: 'event', event });
  };
  const common = { origins, onMessage: received.receive, report: reportAndForward };
  // The crawler takes longest to load, so it starts before this thread loads the servers.
  if (servesListing || refreshes)
    threads.set('crawler', startJob({ name: 'crawler', data: { config }, ...common }));
  const view = {
    ...received,
    threads: () => Object.fromEntries([...threads].map(([name, thread]) => [name, thread.state()])),
    dependencies: () => readDependencies(config, received),
    servesListing,
    isStopping: () => isStopping,
    now: Date.now,
  };
  const { openServers } = await import('./servers.ts');
  const startUploads: StartUploads = (options) => {
    const thread = startJob({ name: 'uploads', ...options, ...common });
    threads.set('uploads', thread);
    return thread.ready;
  };
  const servers = await openServers({ config, view, threads, startUploads, setOrigins, report });
  return {
    ...servers,
    threads,
    stop() {
      isStopping = true;
      return servers.stop();
    },
  };
}

/** Returns the dependencies of this process. One that it cannot do without counts as down until its thread has reported. */
function readDependencies(
  { serves }: Pick<Config, 'serves'>,
  received: Pick<ReceivedListing, 'state' | 'dependencies'>,
): Dependencies {
  const { storage, limiter = 'absent', quota = 'absent', scanner = 'absent' } = received.dependencies();
  const { state, writable } = received.state()?.store ?? { state: 'down', writable: null };
  const store = writable === false ? 'down' : state;
  return {
    store: serves.listing || serves.refresh ? store : 'absent',
    storage: serves.uploads ? (storage ?? 'down') : 'absent',
    limiter,
    quota,
    scanner,
  };
}
