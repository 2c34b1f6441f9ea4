import type { Report } from '../domain/report.ts';
import type { ThreadState } from '../domain/thread-state.ts';
import { readDescriptorLimit, shareConnections } from '../http/descriptor-limit.ts';
import { createEventStream } from '../http/event-stream.ts';
import { losesConnections } from '../http/leave-port.ts';
import type { ListingView } from '../http/routes/health.ts';
import { type HttpServer, openServer } from '../http/server.ts';
import { MAIN_THREAD, openMetrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { openOperations } from './operations.ts';
import { createReceivedListing } from './received-listing.ts';
import type { SupervisedThread } from './supervisor.ts';
import { openUploadsPort, superviseCrawler, superviseUploads } from './threads.ts';

/** How long what is in flight may take to finish when the service stops. */
const GRACE_MS = 30_000;

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
  const metrics = await openMetrics(config.metricsPort !== null, MAIN_THREAD);
  const tell = metrics.follow(report);
  if (config.reusePort && (await losesConnections())) tell({ type: 'connections-not-migrated' });
  const { listing: isListing, uploads: isUploads, refresh: isRefresh } = config.serves;
  const connections = shareConnections(await readDescriptorLimit());
  const openListing = async () => (isListing ? openServer(config, { max: connections.listing }) : undefined);
  // A shared port is left to the processes that are ready.
  let listing = config.reusePort ? undefined : await openListing();
  const port = isUploads ? await openUploadsPort(config).catch(closing(listing)) : undefined;
  const origins = {
    listing: config.baseUrl ?? `http://localhost:${listing?.port ?? config.port}`,
    uploads: config.upload.url ?? `http://localhost:${port?.port ?? config.upload.port}`,
  };

  const stream = createEventStream();
  const received = createReceivedListing((edition) => stream.show(edition.events));
  const threads = new Map<string, SupervisedThread>();
  if (isListing || isRefresh)
    threads.set('crawler', superviseCrawler({ config, origins }, received.receive, report));
  if (port)
    threads.set('uploads', superviseUploads({ config, connections, port: port.port, origins }, port, report));
  const view: ListingView = { ...received, threads: () => statesOf(threads), isListing, now: Date.now };
  let operations: HttpServer | undefined;

  async function stop(): Promise<void> {
    stream.close();
    await Promise.all([listing?.close(GRACE_MS), ...[...threads.values()].map((thread) => thread.stop())]);
    await Promise.all([port?.leave(), operations?.close(GRACE_MS)]);
  }

  try {
    // The crawler loads and renders meanwhile.
    const { serveListing } = await import('./listing-server.ts');
    const serve = (server: HttpServer) =>
      serveListing(server, { view, site: received, stream, report: tell }, metrics);
    if (listing) serve(listing);
    await threads.get('crawler')?.ready;
    if (!listing) {
      listing = await openListing();
      if (listing) serve(listing);
    }
    if (listing) report({ type: 'listening', origin: 'listing', address: listing.address });
    const uploads = await threads.get('uploads')?.ready;
    if (uploads?.address) report({ type: 'listening', origin: 'uploads', address: uploads.address });
    operations = await openOperations({ config, connections, view, threads, metrics, report: tell });
    return {
      listing: listing?.address ?? null,
      uploads: uploads?.address ?? null,
      operations: operations?.address ?? null,
      threads,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function statesOf(threads: ReadonlyMap<string, SupervisedThread>): Record<string, ThreadState> {
  return Object.fromEntries([...threads].map(([name, thread]) => [name, thread.state()]));
}

function closing(server: HttpServer | undefined): (error: unknown) => Promise<never> {
  return async (error) => {
    await server?.close(0);
    throw error;
  };
}
