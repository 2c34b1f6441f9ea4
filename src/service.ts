import type { Config } from './config.ts';
import { changedAt, countScheduled, type Snapshot } from './domain/listing.ts';
import type { Report } from './domain/report.ts';
import { timeFormatter } from './domain/units.ts';
import { createListingApp } from './http/listing-app.ts';
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

/** How long what is in flight may take to finish when the service stops. */
const GRACE_MS = 30_000;

type Assets = ReadonlyMap<string, Document>;

export interface Service {
  /** Where each origin is bound: `http://ADDRESS:PORT`. */
  listing: string;
  uploads: string;
  /** Stops accepting, finishes what is in flight, then lets go of everything. */
  stop(): Promise<void>;
}

/** The composition root: opens the adapters, wires the two jobs, starts them. Throws when something cannot be opened. */
export async function startService(config: Config, report: Report): Promise<Service> {
  const assets = await openAssets();
  const listing = await startListing(config, assets, report);
  const uploads = await startUploads(config, assets, report);
  report({ type: 'listening', origin: 'listing', address: listing.address });
  report({ type: 'listening', origin: 'uploads', address: uploads.address });
  return {
    listing: listing.address,
    uploads: uploads.address,
    async stop() {
      await Promise.all([listing.stop(), uploads.stop()]);
    },
  };
}

interface Started {
  address: string;
  stop(): Promise<void>;
}

async function startListing(config: Config, assets: Assets, report: Report): Promise<Started> {
  const job = await openListingJob(config, report);
  let edition: Edition | undefined;

  const view = await followStore({ store: job.store, report, onSnapshot: publish, now: Date.now });
  if (!edition) report({ type: 'snapshot-absent' });
  const server = await openServer(config.host, config.port);
  const keeper = keepFresh({ refresh: job.refresh, timer: job.timer, view, report, now: Date.now });
  const app = createListingApp(
    {
      edition: () => edition,
      snapshot: view.snapshot,
      status: view.status,
      store: view.health,
      freshness: () => ({ state: view.status().state, dueAt: keeper.dueAt() }),
      nextAttempt: keeper.nextAttempt,
      now: Date.now,
    },
    assets,
    report,
  );
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
    async stop() {
      await Promise.all([server.close(GRACE_MS), keeper.stop()]);
      view.stop();
      await job.close();
    },
  };
}

async function startUploads(config: Config, assets: Assets, report: Report): Promise<Started> {
  const { port, url: configuredUrl, ...limits } = config.upload;
  // An honest upload may take long: it is bounded by a least rate, not by a time.
  const server: HttpServer = await openServer(config.host, port, { requestTimeout: 0 });
  const url = configuredUrl ?? `http://localhost:${server.port}`;
  const job = await openUploadJob(config, report);
  const documents = await uploadDocuments({ url, ...limits, assets, now: Date.now() });
  const formatTime = timeFormatter(config.timeZone);
  const app = createUploadApp({ ...job, ...limits, documents, url, formatTime, now: Date.now, report });
  server.serve(app.callback());

  return {
    address: server.address,
    async stop() {
      await server.close(GRACE_MS);
      await job.close();
    },
  };
}
