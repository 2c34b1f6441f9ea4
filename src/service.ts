import type { Config } from './config.ts';
import { changedAt, countScheduled } from './domain/listing.ts';
import type { Report } from './domain/report.ts';
import { timeFormatter } from './domain/units.ts';
import { eachDay } from './each-day.ts';
import { createEventStream } from './http/event-stream.ts';
import { createListingApp } from './http/listing-app.ts';
import { describeApi } from './http/openapi/describe-api.ts';
import { type HttpServer, openServer } from './http/server.ts';
import { createUploadApp } from './http/upload-app.ts';
import { uploadDocuments } from './http/upload-documents.ts';
import { followStore, type News } from './listing/follow-store.ts';
import { keepFresh } from './listing/keep-fresh.ts';
import type { Status } from './listing/source-state.ts';
import { openListingJob } from './open-listing.ts';
import { openUploadJob } from './open-uploads.ts';
import { openAssets } from './publishing/assets.ts';
import type { Document } from './publishing/document.ts';
import { keepEdition } from './publishing/keep-edition.ts';
import {
  createSecurityFile,
  type Files,
  LISTING_ROBOTS,
  SECURITY_PATH,
  siteFiles,
  UPLOAD_ROBOTS,
} from './publishing/site-files.ts';

/** How long what is in flight may take to finish when the service stops. */
const GRACE_MS = 30_000;

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
  const stopRenewing = await renewSecurityFile(config, assets, report);
  const listing = await startListing(config, assets, report);
  const uploads = await startUploads(config, assets, report);
  const origins = { listing: listing.url, uploads: uploads.url };
  for (const [path, document] of await describeApi(origins, config.version, Date.now())) {
    assets.set(path, document);
  }
  report({ type: 'listening', origin: 'listing', address: listing.address });
  report({ type: 'listening', origin: 'uploads', address: uploads.address });
  return {
    listing: listing.address,
    uploads: uploads.address,
    async stop() {
      stopRenewing();
      await Promise.all([listing.stop(), uploads.stop()]);
    },
  };
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

interface Started {
  address: string;
  /** Public origin. */
  url: string;
  stop(): Promise<void>;
}

async function startListing(config: Config, assets: Files, report: Report): Promise<Started> {
  const job = await openListingJob(config, report);
  const url = config.baseUrl ?? (config.port ? `http://localhost:${config.port}` : null);
  const editions = keepEdition(config.timeZone, { url }, Date.now);

  const stream = createEventStream();
  const onStatus = (status: Status) => editions.show({ status });
  const view = await followStore({ store: job.store, report, onSnapshot: publish, onStatus });
  if (!view.snapshot()) report({ type: 'snapshot-absent' });
  const server = await openServer(config.host, config.port);
  const publicUrl = url ?? `http://localhost:${server.port}`;
  await editions.show({ url: publicUrl });
  const stopDays = eachDay({
    timeZone: config.timeZone,
    now: Date.now,
    onDay: () => editions.show(),
    report,
  });
  const keeper = keepFresh({ refresh: job.refresh, timer: job.timer, view, report, now: Date.now });
  const app = createListingApp(
    {
      edition: editions.edition,
      snapshot: view.snapshot,
      status: view.status,
      freshness: () => ({ state: view.status().state, dueAt: keeper.dueAt() }),
      nextAttempt: keeper.nextAttempt,
      now: Date.now,
    },
    await siteFiles(assets, LISTING_ROBOTS, Date.now()),
    stream,
    report,
  );
  server.serve(app.callback());

  async function publish(news: News): Promise<void> {
    const { snapshot } = news;
    await editions.show(news);
    stream.show({ events: news.events, last: snapshot.lastEvent });
    report({
      type: 'snapshot-loaded',
      anime: snapshot.ongoing.length,
      scheduled: countScheduled(snapshot.schedule),
      changedAt: changedAt(snapshot),
    });
  }

  return {
    address: server.address,
    url: publicUrl,
    async stop() {
      stopDays();
      stream.close();
      await Promise.all([server.close(GRACE_MS), keeper.stop()]);
      view.stop();
      await job.close();
    },
  };
}

async function startUploads(config: Config, assets: Files, report: Report): Promise<Started> {
  const { port, url: configuredUrl, ...limits } = config.upload;
  // An honest upload may take long: it is bounded by a least rate, not by a time.
  const server: HttpServer = await openServer(config.host, port, { requestTimeout: 0 });
  const url = configuredUrl ?? `http://localhost:${server.port}`;
  const job = await openUploadJob(config, report);
  const documents = await uploadDocuments({
    url,
    ...limits,
    assets: await siteFiles(assets, UPLOAD_ROBOTS, Date.now()),
    now: Date.now(),
  });
  const formatTime = timeFormatter(config.timeZone);
  const app = createUploadApp({ ...job, ...limits, documents, url, formatTime, now: Date.now, report });
  server.serve(app.callback());

  return {
    address: server.address,
    url,
    async stop() {
      await server.close(GRACE_MS);
      await job.close();
    },
  };
}
