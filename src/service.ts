import type { Config } from './config.ts';
import { once } from './domain/once.ts';
import type { Report } from './domain/report.ts';
import { eachDay } from './each-day.ts';
import { readDescriptorLimit, shareConnections } from './http/descriptor-limit.ts';
import { losesConnections } from './http/leave-port.ts';
import { createOperationsApp } from './http/operations-app.ts';
import type { ListingView } from './http/routes/health.ts';
import { openServer } from './http/server.ts';
import { openAssets } from './publishing/assets.ts';
import type { Document } from './publishing/document.ts';
import { createSecurityFile, SECURITY_PATH } from './publishing/site-files.ts';
import { startListing } from './start-listing.ts';
import { GRACE_MS, type Started } from './started.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { ownerOf } from './uploads/limiter-keys.ts';

export interface Service {
  /** Where each origin is bound: `http://ADDRESS:PORT`. */
  listing: string;
  uploads: string;
  /** Null where nothing is measured. */
  operations: string | null;
  /** Stops accepting, finishes what is in flight, then lets go of everything. */
  stop(): Promise<void>;
}

/** The composition root: opens the adapters, wires the two jobs, starts them. Throws when something cannot be opened. */
export async function startService(config: Config, report: Report): Promise<Service> {
  const metrics = config.metricsPort === null ? undefined : await loadMetrics();
  const tell: Report = (happening) => {
    report(happening);
    metrics?.report(happening);
  };
  if (config.reusePort && (await losesConnections())) tell({ type: 'connections-not-migrated' });
  const assets = await openAssets();
  const stopRenewing = await renewSecurityFile(config, assets, tell);
  const { promise: started, resolve: tellStarted } = Promise.withResolvers<Origins>();
  const described = once(async () => describe(await started, config.version, assets));
  const shared = { assets, described };
  // An honest upload may take long: it is bounded by a least rate, not by a time.
  const connections = shareConnections(await readDescriptorLimit());
  const uploadServer = await openServer(
    { ...config, port: config.upload.port },
    {
      requestMs: 0,
      max: connections.uploads,
      maxPerClient: config.upload.trustProxy === null ? connections.uploadsPerClient : undefined,
      clientOf: ownerOf,
    },
  );
  const listing = await startListing(config, shared, { max: connections.listing }, tell, metrics);
  report({ type: 'listening', origin: 'listing', address: listing.address });
  report({ type: 'listening', origin: 'uploads', address: uploadServer.address });
  // Readers of the listing need not wait for what receives files and describes both; who asks for that does.
  const { startUploads } = await import('./start-uploads.ts');
  const uploads = await startUploads(config, shared, uploadServer, tell, metrics);
  const operations =
    metrics && (await startOperations(config, connections.operations, listing.view, metrics, tell));
  tellStarted({ listing: listing.url, uploads: uploads.url });
  // Readers need it least. If it fails, whoever asks for it is told, and it is tried again.
  await described().catch(() => {});
  return {
    listing: listing.address,
    uploads: uploads.address,
    operations: operations?.address ?? null,
    async stop() {
      stopRenewing();
      await Promise.all([listing.stop(), uploads.stop()]);
      await operations?.stop();
    },
  };
}

interface Origins {
  listing: string;
  uploads: string;
}

/** Puts what describes the API of both origins among the assets. */
async function describe(origins: Origins, version: string, assets: Map<string, Document>): Promise<void> {
  const { describeApi } = await import('./http/openapi/describe-api.ts');
  for (const [path, document] of await describeApi(origins, version, Date.now())) assets.set(path, document);
}

/** Only who measures loads what measures. */
async function loadMetrics(): Promise<Metrics> {
  return (await import('./telemetry/metrics.ts')).createMetrics();
}

/** Keeps it from ending, on both origins. Returns the way to stop. */
async function renewSecurityFile(
  { contact, timeZone }: Config,
  assets: Map<string, Document>,
  report: Report,
): Promise<() => void> {
  if (!contact) return () => {};
  const renew = async () => void assets.set(SECURITY_PATH, await createSecurityFile(contact, Date.now()));
  await renew();
  return eachDay({ timeZone, now: Date.now, onDay: renew, report });
}

/** A port of each process's own, also where the others are shared: what it tells is of this process. */
async function startOperations(
  { metricsHost, metricsPort }: Config,
  max: number,
  view: ListingView,
  metrics: Metrics,
  report: Report,
): Promise<Started> {
  const place = { host: metricsHost, port: metricsPort ?? 0, reusePort: false };
  const server = await openServer(place, { max });
  server.serve(createOperationsApp(view, metrics, report).callback());
  report({ type: 'measuring', address: server.address });
  return { address: server.address, url: server.address, stop: () => server.close(GRACE_MS) };
}
