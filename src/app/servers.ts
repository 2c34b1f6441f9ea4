import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationalEvent, Report } from '../domain/operational-event.ts';
import { redactText } from '../domain/setting-url.ts';
import { createOperationsApp } from '../http/operations/app.ts';
import { readDescriptorLimit, shareConnections } from '../http/server/connection-shares.ts';
import { reportConnections } from '../http/server/report-connections.ts';
import { AT_ONCE, type HttpServer, openServer, type Shutdown } from '../http/server.ts';
import { processGauges, webhookGauges } from '../telemetry/metrics/gauges.ts';
import { type Metrics, openMetrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { findContradictions } from './contradictions.ts';
import { type ListingServer, type ListingServerOptions, openListingServer } from './listing-server.ts';
import type { Origins } from './threads/messages.ts';
import type { Job } from './threads/open-worker.ts';
import type { SupervisedThread } from './threads/supervisor.ts';
import { openUploadsPort, type UploadsPort } from './uploads-port.ts';

interface ServersOptions {
  config: Config;
  view: ListingServerOptions['view'];
  threads: ReadonlyMap<string, SupervisedThread>;
  start: (job: Job) => SupervisedThread;
  setOrigins: (origins: Origins) => void;
  report: Report;
}

/** The address of each server, `http://ADDRESS:PORT`; null for what this process does not serve. */
export interface Servers {
  listing: string | null;
  uploads: string | null;
  operations: string | null;
  /** Finishes the requests in flight, then closes everything. */
  stop(): Promise<void>;
}

/**
 * Opens the servers of the process: the listing's, the uploads' in a thread of its own, and the operator's. Resolves with
 * their addresses once all of them answer; when one cannot, closes the others and throws.
 */
export async function openServers(options: ServersOptions): Promise<Servers> {
  const { config, view, threads, start, report } = options;
  const metrics = await openMetrics(config.metricsPort !== null, 'main');
  const connections = shareConnections(await readDescriptorLimit());
  const crawler = threads.get('crawler');
  let listing: ListingServer | undefined;
  let port: UploadsPort | undefined;
  let operations: HttpServer | undefined;

  /** The crawler works, and the operator is answered, as long as readers are served. */
  async function stop(shutdown: Shutdown): Promise<void> {
    await Promise.all([
      listing?.stop(shutdown),
      port?.release(),
      threads.get('uploads')?.stop(),
      sleep(shutdown.delayMs).then(() => crawler?.stop()),
    ]);
    await operations?.close({ ...shutdown, delayMs: 0 });
  }

  try {
    if (config.serves.listing) {
      listing = await openListingServer({
        config,
        view,
        metrics,
        report: metrics.countEvents(report),
        maxConnections: connections.listing,
        changeSubscription: async (change) => crawler?.request({ kind: 'push', change }),
        changeChannel: async (change) => crawler?.request({ kind: 'channel', change }),
        readStore: async () => (await crawler?.request({ kind: 'read-store' })) ?? false,
        readCover: async (name) => crawler?.request({ kind: 'cover', name }),
      });
    }
    if (config.serves.uploads) port = await openUploadsPort(config);
    const origins = {
      listing: config.baseUrl ?? `http://localhost:${listing?.port ?? config.port}`,
      uploads: config.upload.url ?? `http://localhost:${port?.port ?? config.upload.port}`,
    };
    options.setOrigins(origins);
    for (const event of describeStart(config, origins)) report(event);

    await crawler?.ready;
    const address = (await listing?.listen()) ?? null;
    if (address) report({ type: 'listening', origin: 'listing', address });
    // The thread of the uploads starts once the listing listens: two threads that load their modules slow each other down.
    const uploads = port
      ? await start({
          name: 'uploads',
          data: { config, connections, port: port.port },
          onPortRequested: port.release,
          onDown: port.reclaim,
        }).ready
      : null;
    if (uploads) report({ type: 'listening', origin: 'uploads', address: uploads });
    operations = await openOperationsServer(options, metrics, connections.operations);
    return {
      listing: address,
      uploads,
      operations: operations?.address ?? null,
      stop: () => stop(config.shutdown),
    };
  } catch (error) {
    await stop(AT_ONCE);
    throw error;
  }
}

/** Answers an operator's first questions: version, origins, jobs, store, source, and contradicting settings. */
function describeStart(config: Config, origins: Origins): OperationalEvent[] {
  const { serves, refreshCron, peekMs, upload, cacheUrl, source } = config;
  const served = (['listing', 'uploads'] as const).filter((origin) => serves[origin]);
  const timer = refreshCron ? `${refreshCron}${peekMs ? `, page 1 every ${peekMs / 1_000} s` : ''}` : 'off';
  const jobs: string[] = [...served];
  if (serves.refresh) jobs.push(`refresh (${timer})`);
  const lines = {
    version: `Tayang ${config.version}, Node ${process.versions.node}`,
    origins: served.map((origin) => `${origins[origin]} (${origin})`).join(', ') || 'none',
    jobs: jobs.join(', '),
    store: `${cacheUrl}${serves.uploads ? `, uploads in ${upload.storageUrl}` : ''}`,
    source: source.urls.join(', '),
  };
  const entries = Object.entries(lines) as [keyof typeof lines, string][];
  const contradictions = findContradictions(config);
  return [
    ...entries.map(([what, value]) => ({ type: 'starting', what, value: redactText(value) }) as const),
    ...contradictions.map(({ text }) => ({ type: 'settings-contradict', text }) as const),
  ];
}

/**
 * Opens the server for metrics and health, where METRICS_PORT asks for one. Its answers are about this process, so no
 * other one listens there. `metrics` come from the main thread; each scrape requests the others.
 */
async function openOperationsServer(
  options: ServersOptions,
  metrics: Metrics,
  maxConnections: number,
): Promise<HttpServer | undefined> {
  const { config, view, threads } = options;
  const report = metrics.countEvents(options.report);
  if (config.metricsPort === null) return undefined;
  const { formatMetrics, METRICS_CONTENT_TYPE } = await import('../telemetry/metrics/registry.ts');
  metrics.measure([...webhookGauges(view), ...processGauges(view.dependencies, view.threads)]);
  const read = async () => {
    const others = [...threads.values()].map(async (one) => (await one.request({ kind: 'metrics' })) ?? []);
    return formatMetrics(await Promise.all([metrics.read(), ...others]));
  };
  const app = createOperationsApp(view, { contentType: METRICS_CONTENT_TYPE, read }, report).callback();
  const place = { host: config.metricsHost, port: config.metricsPort };
  const server = await openServer(place, app, {
    max: maxConnections,
    ...reportConnections('operations', report),
  });
  report({ type: 'measuring', address: server.address });
  return server;
}
