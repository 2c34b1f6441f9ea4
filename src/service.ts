import type { Config } from './config.ts';
import { changedAt, countScheduled, type Snapshot } from './domain/listing.ts';
import type { Report } from './domain/report.ts';
import { timeFormatter } from './domain/units.ts';
import { losesConnections } from './http/leave-port.ts';
import { createListingApp } from './http/listing-app.ts';
import { createOperationsApp } from './http/operations-app.ts';
import type { ListingView } from './http/routes/health.ts';
import { type HttpServer, openServer } from './http/server.ts';
import { createUploadApp } from './http/upload-app.ts';
import { uploadDocuments } from './http/upload-documents.ts';
import { followStore } from './listing/follow-store.ts';
import { keepFresh } from './listing/keep-fresh.ts';
import { openListingJob } from './open-listing.ts';
import { openUploadJob } from './open-uploads.ts';
import { openAssets } from './publishing/assets.ts';
import type { Document } from './publishing/document.ts';
import { type Edition, renderEdition } from './publishing/edition.ts';
import { createMetrics, type Metrics } from './telemetry/metrics.ts';

/** How long what is in flight may take to finish when the service stops. */
const GRACE_MS = 30_000;

type Assets = ReadonlyMap<string, Document>;

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
  const metrics = config.metricsPort === null ? undefined : createMetrics();
  const tell: Report = (happening) => {
    report(happening);
    metrics?.report(happening);
  };
  const assets = await openAssets();
  if (config.reusePort && (await losesConnections())) tell({ type: 'connections-not-migrated' });
  const listing = await startListing(config, assets, tell, metrics);
  const uploads = await startUploads(config, assets, tell, metrics);
  const operations = metrics && (await startOperations(config, listing.view, metrics, tell));
  report({ type: 'listening', origin: 'listing', address: listing.address });
  report({ type: 'listening', origin: 'uploads', address: uploads.address });
  return {
    listing: listing.address,
    uploads: uploads.address,
    operations: operations?.address ?? null,
    async stop() {
      await Promise.all([listing.stop(), uploads.stop()]);
      await operations?.stop();
    },
  };
}

interface Started {
  address: string;
  stop(): Promise<void>;
}

async function startListing(
  config: Config,
  assets: Assets,
  report: Report,
  metrics: Metrics | undefined,
): Promise<Started & { view: ListingView }> {
  const job = await openListingJob(config, report);
  let edition: Edition | undefined;

  const stored = await followStore({ store: job.store, report, onSnapshot: publish });
  if (!edition) report({ type: 'snapshot-absent' });
  const server = await openServer(config);
  const keeper = keepFresh({ refresh: job.refresh, timer: job.timer, view: stored, report, now: Date.now });
  const view: ListingView = {
    edition: () => edition,
    snapshot: stored.snapshot,
    status: stored.status,
    freshness: () => ({ state: stored.status().state, dueAt: keeper.dueAt() }),
    nextAttempt: keeper.nextAttempt,
    now: Date.now,
  };
  metrics?.watchListing(view);
  const app = createListingApp(view, assets, report, metrics?.tally('listing'));
  server.serve(app.callback());

  async function publish(snapshot: Snapshot): Promise<void> {
    edition = await renderEdition(snapshot, edition);
    report({
      type: 'snapshot-loaded',
      anime: snapshot.ongoing.length,
      scheduled: countScheduled(snapshot.schedule),
      changedAt: changedAt(snapshot),
    });
  }

  return {
    address: server.address,
    view,
    async stop() {
      await Promise.all([server.close(GRACE_MS), keeper.stop()]);
      stored.stop();
      await job.close();
    },
  };
}

async function startUploads(
  config: Config,
  assets: Assets,
  report: Report,
  metrics: Metrics | undefined,
): Promise<Started> {
  const { port, url: configuredUrl, ...limits } = config.upload;
  // An honest upload may take long: it is bounded by a least rate, not by a time.
  const server: HttpServer = await openServer({ ...config, port }, { requestTimeout: 0 });
  const url = configuredUrl ?? `http://localhost:${server.port}`;
  const job = await openUploadJob(config, report);
  const documents = await uploadDocuments({ url, ...limits, assets, now: Date.now() });
  const formatTime = timeFormatter(config.timeZone);
  metrics?.watchStorage(job.usage);
  const tally = metrics?.tally('uploads');
  const app = createUploadApp({
    ...job,
    ...limits,
    documents,
    url,
    formatTime,
    now: Date.now,
    report,
    tally,
  });
  server.serve(app.callback());

  return {
    address: server.address,
    async stop() {
      await server.close(GRACE_MS);
      await job.close();
    },
  };
}

/** A port of each process's own, also where the others are shared: what it tells is of this process. */
async function startOperations(
  { host, metricsPort }: Config,
  view: ListingView,
  metrics: Metrics,
  report: Report,
): Promise<Started> {
  const server = await openServer({ host, port: metricsPort ?? 0, reusePort: false });
  server.serve(createOperationsApp(view, metrics, report).callback());
  report({ type: 'measuring', address: server.address });
  return { address: server.address, stop: () => server.close(GRACE_MS) };
}
