import type { Report } from '../domain/operational-event.ts';
import type { ListingView } from '../http/health.ts';
import { doesKernelMigrate } from '../http/server/close-server.ts';
import {
  type ConnectionShares,
  readDescriptorLimit,
  shareConnections,
} from '../http/server/connection-shares.ts';
import { MAIN_THREAD, type Metrics, openMetrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { type ListingServer, openListingServer } from './listing-server.ts';
import { openOperationsServer } from './operations-server.ts';
import type { ReceivedListing } from './received-listing.ts';
import type { JobStarters } from './supervised-threads.ts';
import type { Origins } from './threads/messages.ts';
import type { SupervisedThread } from './threads/supervisor.ts';
import { openUploadsPort, type UploadsPort } from './uploads-port.ts';

interface ServersOptions {
  config: Config;
  origins: Promise<Origins>;
  setOrigins: (origins: Origins) => void;
  view: ListingView;
  received: ReceivedListing;
  /** The threads that run already; the uploads' is added. */
  threads: Map<string, SupervisedThread>;
  starters: JobStarters;
  report: Report;
}

/** Opens the servers of the process: the listing's, the uploads' in a thread of its own, and the operator's. */
export function openServers(options: ServersOptions) {
  const { config, threads, starters, report } = options;
  const opened: { stop(): Promise<void> }[] = [];

  async function stop(): Promise<void> {
    await Promise.all([...opened, ...threads.values()].map((server) => server.stop()));
  }

  async function open() {
    const metrics = await openMetrics(config.metricsPort !== null, MAIN_THREAD);
    const countedReport = metrics.follow(report);
    if (config.reusePort && !(await doesKernelMigrate())) countedReport({ type: 'connections-not-migrated' });
    const connections = shareConnections(await readDescriptorLimit());
    const listing = await openListing(connections, metrics, countedReport);
    const port = await openUploads(connections);
    options.setOrigins(originsOf(config, listing, port));

    await threads.get('crawler')?.ready;
    const address = (await listing?.listen()) ?? null;
    if (address) report({ type: 'listening', origin: 'listing', address });
    const { address: uploads = null } = (await threads.get('uploads')?.ready) ?? {};
    if (uploads) report({ type: 'listening', origin: 'uploads', address: uploads });
    const maxConnections = connections.operations;
    const operations = await openOperationsServer({
      ...options,
      maxConnections,
      metrics,
      report: countedReport,
    });
    if (operations) opened.push(operations);
    return { listing: address, uploads, operations: operations?.address ?? null };
  }

  async function openListing(shares: ConnectionShares, metrics: Metrics, countedReport: Report) {
    if (!config.serves.listing) return undefined;
    const maxConnections = shares.listing;
    const listing = await openListingServer({ ...options, maxConnections, metrics, report: countedReport });
    opened.push(listing);
    return listing;
  }

  async function openUploads(connections: ConnectionShares): Promise<UploadsPort | undefined> {
    if (!config.serves.uploads) return undefined;
    const port = await openUploadsPort(config);
    opened.push({ stop: port.release });
    const data = { config, connections, port: port.port };
    threads.set('uploads', starters.startUploads(data, options.origins, port, report));
    return port;
  }

  return {
    stop,
    /** Resolves with the addresses once all servers answer; when one cannot, closes the others and throws. */
    start: () =>
      open().catch(async (error: unknown) => {
        await stop();
        throw error;
      }),
  };
}

function originsOf(
  { baseUrl, port, upload }: Config,
  listing: ListingServer | undefined,
  uploads: UploadsPort | undefined,
): Origins {
  return {
    listing: baseUrl ?? `http://localhost:${listing?.port ?? port}`,
    uploads: upload.url ?? `http://localhost:${uploads?.port ?? upload.port}`,
  };
}
