import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../domain/operational-event.ts';
import type { ListingView } from '../http/health.ts';
import { createOperationsApp } from '../http/operations/app.ts';
import { readDescriptorLimit, shareConnections } from '../http/server/connection-shares.ts';
import { AT_ONCE, openServer, type Shutdown } from '../http/server.ts';
import { processGauges, webhookGauges } from '../telemetry/metrics/gauges.ts';
import { MAIN_THREAD, type Metrics, openMetrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { describeStart } from './describe-start.ts';
import { openListingServer } from './listing-server.ts';
import type { ReceivedListing } from './received-listing.ts';
import type { StartJob } from './supervised-threads.ts';
import type { Origins } from './threads/messages.ts';
import type { SupervisedThread } from './threads/supervisor.ts';
import { openUploadsPort } from './uploads-port.ts';

interface ServersOptions {
  config: Config;
  origins: Promise<Origins>;
  setOrigins: (origins: Origins) => void;
  view: ListingView;
  received: ReceivedListing;
  /** The threads that run already; the uploads' is added. */
  threads: Map<string, SupervisedThread>;
  startJob: StartJob;
  report: Report;
}

/** What has been opened, and is to be stopped with the service. */
interface Opened {
  servers: { stop(shutdown: Shutdown): Promise<void> }[];
  operations?: { address: string; stop(shutdown: Shutdown): Promise<void> } | undefined;
}

/**
 * Opens the servers of the process: the listing's, the uploads' in a thread of its own, and the operator's. Resolves with
 * their addresses once all of them answer; when one cannot, closes the others and throws.
 */
export async function openServers(options: ServersOptions) {
  const { config, threads } = options;
  const opened: Opened = { servers: [] };

  /** The crawler works, and the operator is answered, as long as readers are served. */
  async function stop(shutdown = config.shutdown): Promise<void> {
    const servers = opened.servers.map((server) => server.stop(shutdown));
    const crawler = sleep(shutdown.delayMs).then(() => threads.get('crawler')?.stop());
    await Promise.all([...servers, threads.get('uploads')?.stop(), crawler]);
    await opened.operations?.stop({ ...shutdown, delayMs: 0 });
  }

  try {
    return { ...(await open(options, opened)), stop: () => stop() };
  } catch (error) {
    await stop(AT_ONCE);
    throw error;
  }
}

async function open(options: ServersOptions, opened: Opened) {
  const { config, threads, report } = options;
  const metrics = await openMetrics(config.metricsPort !== null, MAIN_THREAD);
  const countedReport = metrics.countEvents(report);
  const connections = shareConnections(await readDescriptorLimit());
  const measured = { ...options, metrics, report: countedReport };

  let listing: Awaited<ReturnType<typeof openListingServer>> | undefined;
  if (config.serves.listing) {
    const crawler = threads.get('crawler');
    listing = await openListingServer({
      ...measured,
      maxConnections: connections.listing,
      changeSubscription: async (change) => crawler?.request({ kind: 'push', change }),
    });
    opened.servers.push(listing);
  }
  const port = config.serves.uploads ? await openUploadsPort(config) : undefined;
  if (port) opened.servers.push({ stop: port.release });
  const origins = originsOf(config, listing, port);
  options.setOrigins(origins);
  for (const event of describeStart(config, origins)) report(event);

  await threads.get('crawler')?.ready;
  const address = (await listing?.listen()) ?? null;
  if (address) report({ type: 'listening', origin: 'listing', address });
  // The thread of the uploads starts once the listing listens: two threads that load their modules slow each other down.
  if (port) {
    const uploadsThread = options.startJob({
      name: 'uploads',
      data: { config, connections, port: port.port },
      origins: options.origins,
      onMessage: options.received.receive,
      onPortRequested: port.release,
      onDown: port.reclaim,
      report,
    });
    threads.set('uploads', uploadsThread);
  }
  const uploads = (await threads.get('uploads')?.ready) ?? null;
  if (uploads) report({ type: 'listening', origin: 'uploads', address: uploads });
  opened.operations = await openOperationsServer({ ...measured, maxConnections: connections.operations });
  return { listing: address, uploads, operations: opened.operations?.address ?? null };
}

function originsOf(
  { baseUrl, port, upload }: Config,
  listing: { port: number } | undefined,
  uploads: { port: number } | undefined,
): Origins {
  return {
    listing: baseUrl ?? `http://localhost:${listing?.port ?? port}`,
    uploads: upload.url ?? `http://localhost:${uploads?.port ?? upload.port}`,
  };
}

/**
 * Opens the server for metrics and health, where METRICS_PORT asks for one. Its answers are about this process, so no other
 * one listens there. `metrics` are those of the main thread; those of the others are requested at each scrape.
 */
async function openOperationsServer(options: ServersOptions & { maxConnections: number; metrics: Metrics }) {
  const { config, maxConnections, view, threads, metrics, report } = options;
  if (config.metricsPort === null) return undefined;
  const { formatMetrics, METRICS_CONTENT_TYPE } = await import('../telemetry/metrics/registry.ts');
  metrics.measure({ ...webhookGauges(view), ...processGauges(view.dependencies, view.threads) });
  const read = async () => {
    const others = [...threads.values()].map(async (one) => (await one.request({ kind: 'metrics' })) ?? []);
    return formatMetrics(await Promise.all([metrics.read(), ...others]));
  };
  const app = createOperationsApp(view, { contentType: METRICS_CONTENT_TYPE, read }, report).callback();
  const onRefused = (count: number) => report({ type: 'connections-refused', origin: 'operations', count });
  const place = { host: config.metricsHost, port: config.metricsPort };
  const server = await openServer(place, app, { max: maxConnections, onRefused });
  report({ type: 'measuring', address: server.address });
  return { address: server.address, stop: server.close };
}
