import type { Report } from '../domain/operational-event.ts';
import { type ConnectionShares, readDescriptorLimit, shareConnections } from '../http/descriptor-limit.ts';
import { losesConnections } from '../http/drain-listener.ts';
import type { ListingView } from '../http/health.ts';
import { MAIN_THREAD, type Metrics, openMetrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { type ListingServer, openListingServer } from './listing-server.ts';
import type { Origins } from './messages.ts';
import { openOperations } from './operations.ts';
import type { ReceivedListing } from './received-listing.ts';
import type { SupervisedThread } from './supervisor.ts';
import { superviseUploads } from './threads.ts';
import { openUploadsPort, type UploadsPort } from './uploads-port.ts';

export interface ServersOptions {
  config: Config;
  origins: Promise<Origins>;
  setOrigins: (origins: Origins) => void;
  view: ListingView;
  received: ReceivedListing;
  /** Those that run already; the uploads' is added. */
  threads: Map<string, SupervisedThread>;
  report: Report;
}

/** Opens every listener of the process: the listing's, the uploads', which another thread serves, and the operator's. */
export function openServers(options: ServersOptions) {
  const { config, threads, report } = options;
  const opened: { stop(): Promise<void> }[] = [];

  async function stop(): Promise<void> {
    await Promise.all([...opened, ...threads.values()].map((one) => one.stop()));
  }

  async function open() {
    const metrics = await openMetrics(config.metricsPort !== null, MAIN_THREAD);
    const tell = metrics.follow(report);
    if (config.reusePort && (await losesConnections())) tell({ type: 'connections-not-migrated' });
    const connections = shareConnections(await readDescriptorLimit());
    const listing = await openListing(connections, metrics, tell);
    const port = await openUploads(connections);
    options.setOrigins(originsOf(config, listing, port));

    await threads.get('crawler')?.ready;
    const address = (await listing?.listen()) ?? null;
    if (address) report({ type: 'listening', origin: 'listing', address });
    const { address: uploads = null } = (await threads.get('uploads')?.ready) ?? {};
    if (uploads) report({ type: 'listening', origin: 'uploads', address: uploads });
    const operations = await openOperations({ ...options, connections, metrics, report: tell });
    if (operations) opened.push(operations);
    return { listing: address, uploads, operations: operations?.address ?? null };
  }

  async function openListing(shares: ConnectionShares, metrics: Metrics, tell: Report) {
    if (!config.serves.listing) return undefined;
    const maxConnections = shares.listing;
    const listing = await openListingServer({ ...options, maxConnections, metrics, report: tell });
    opened.push(listing);
    return listing;
  }

  async function openUploads(connections: ConnectionShares): Promise<UploadsPort | undefined> {
    if (!config.serves.uploads) return undefined;
    const port = await openUploadsPort(config);
    opened.push({ stop: port.leave });
    const data = { config, connections, port: port.port };
    threads.set('uploads', superviseUploads(data, options.origins, port, report));
    return port;
  }

  return {
    stop,
    /** Resolves with where each is bound once all answer; when one cannot, closes the others and throws. */
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
