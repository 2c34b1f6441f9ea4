import type { OperationalEvent, Report } from '../domain/operational-event.ts';
import type { Config } from './config.ts';
import { createReceivedListing } from './received-listing.ts';
import type { Servers } from './servers.ts';
import type { Origins } from './threads/messages.ts';
import type { Job } from './threads/open-worker.ts';
import { type StartJob, type SupervisedThread, superviseThread } from './threads/supervisor.ts';

/** Its `stop` also says at /readyz that it stops. */
export interface Service extends Servers {
  threads: ReadonlyMap<string, SupervisedThread>;
}

/**
 * The composition root: starts the threads, and serves the listing in this one. If a part cannot be opened, closes the
 * others and throws.
 */
export async function startService(
  config: Config,
  report: Report,
  startJob: StartJob = superviseThread,
): Promise<Service> {
  const { listing: servesListing, refresh: refreshes } = config.serves;
  const { promise: origins, resolve: setOrigins } = Promise.withResolvers<Origins>();
  const threads = new Map<string, SupervisedThread>();
  const received = createReceivedListing(config);
  let isStopping = false;
  const common = {
    origins,
    onMessage: received.receive,
    /** The uploads thread reports files; the crawler's thread sends that to webhooks. */
    report(event: OperationalEvent) {
      report(event);
      if (event.type === 'file-reported') void threads.get('crawler')?.request({ kind: 'event', event });
    },
  };
  function start(job: Job): SupervisedThread {
    const thread = startJob({ ...job, ...common });
    threads.set(job.name, thread);
    return thread;
  }
  // The crawler takes longest to load, so it starts before this thread loads the servers.
  if (servesListing || refreshes) start({ name: 'crawler', data: { config } });
  const view = {
    ...received,
    threads: () => Object.fromEntries([...threads].map(([name, thread]) => [name, thread.state()])),
    servesListing,
    isStopping: () => isStopping,
    now: Date.now,
  };
  const { openServers } = await import('./servers.ts');
  const servers = await openServers({ config, view, threads, start, setOrigins, report });
  return {
    ...servers,
    threads,
    stop() {
      isStopping = true;
      return servers.stop();
    },
  };
}
