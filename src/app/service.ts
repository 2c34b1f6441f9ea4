import type { Dependencies, ThreadState } from '../domain/health.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Config } from './config.ts';
import { createReceivedListing, type ReceivedListing } from './received-listing.ts';
import { type StartJob, startInThread } from './supervised-threads.ts';
import type { Origins } from './threads/messages.ts';
import type { SupervisedThread } from './threads/supervisor.ts';

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
  startJob: StartJob = startInThread,
): Promise<Service> {
  const { listing: servesListing, refresh: refreshes } = config.serves;
  const { promise: origins, resolve: setOrigins } = Promise.withResolvers<Origins>();
  const threads = new Map<string, SupervisedThread>();
  const received = createReceivedListing();
  let isStopping = false;
  // The crawler takes longest to load, so it starts before this thread loads the servers.
  if (servesListing || refreshes)
    threads.set(
      'crawler',
      startJob({ name: 'crawler', data: { config }, origins, onMessage: received.receive, report }),
    );
  const view = {
    ...received,
    threads: () => statesOf(threads),
    dependencies: () => readDependencies(config, received),
    servesListing,
    isStopping: () => isStopping,
    now: Date.now,
  };
  const { openServers } = await import('./servers.ts');
  /** The crawler's thread tells receivers of webhooks. */
  const reportAndForward: Report = (event) => {
    report(event);
    if (event.type === 'file-reported') threads.get('crawler')?.sendEvent(event);
  };
  const options = {
    config,
    origins,
    setOrigins,
    view,
    received,
    threads,
    startJob,
    report: reportAndForward,
  };
  const servers = await openServers(options);
  return {
    ...servers,
    threads,
    stop() {
      isStopping = true;
      return servers.stop();
    },
  };
}

function statesOf(threads: ReadonlyMap<string, SupervisedThread>): Record<string, ThreadState> {
  return Object.fromEntries([...threads].map(([name, thread]) => [name, thread.state()]));
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
