import type { Config } from './config.ts';
import { changedAt, countScheduled } from './domain/listing.ts';
import type { Report } from './domain/report.ts';
import { eachDay } from './each-day.ts';
import { createEventStream } from './http/event-stream.ts';
import { createListingApp } from './http/listing-app.ts';
import type { ListingView } from './http/routes/health.ts';
import { openServer, type ServerLimits } from './http/server.ts';
import { followStore, type News } from './listing/follow-store.ts';
import { keepFresh } from './listing/keep-fresh.ts';
import type { Status } from './listing/source-state.ts';
import { openListingJob } from './open-listing.ts';
import { keepEdition } from './publishing/keep-edition.ts';
import { LISTING_ROBOTS, siteFiles } from './publishing/site-files.ts';
import { GRACE_MS, type Shared, type Started } from './started.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** Starts the listing: follows the store, keeps it fresh, and serves the edition of what is known. */
export async function startListing(
  config: Config,
  { assets, described }: Shared,
  limits: ServerLimits,
  report: Report,
  metrics: Metrics | undefined,
): Promise<Started & { view: ListingView }> {
  const job = await openListingJob(config, report);
  const configuredUrl = config.baseUrl ?? (config.port ? `http://localhost:${config.port}` : null);
  const editions = keepEdition(config.timeZone, { url: configuredUrl }, Date.now);
  const stream = createEventStream();
  const onStatus = (status: Status) => editions.show({ status });
  const stored = await followStore({
    store: job.store,
    report,
    onSnapshot: publish,
    onStatus,
    now: Date.now,
  });
  if (!stored.snapshot()) report({ type: 'snapshot-absent' });
  const server = await openServer(config, limits);
  const url = configuredUrl ?? `http://localhost:${server.port}`;
  await editions.show({ url });
  const { timeZone } = config;
  const stopDays = eachDay({ timeZone, now: Date.now, onDay: () => editions.show(), report });
  const keeper = keepFresh({ refresh: job.refresh, timer: job.timer, view: stored, report, now: Date.now });
  const view: ListingView = {
    edition: editions.edition,
    snapshot: stored.snapshot,
    status: stored.status,
    store: stored.health,
    freshness: () => ({ state: stored.status().state, dueAt: keeper.dueAt() }),
    nextAttempt: keeper.nextAttempt,
    isRefreshing: keeper.isRefreshing,
    now: Date.now,
  };
  metrics?.watchListing(view);
  metrics?.watchStream(stream);
  const files = await siteFiles(assets, LISTING_ROBOTS, Date.now());
  const tally = metrics?.tally('listing');
  server.serve(createListingApp({ view, files, described, stream, report, tally }).callback());

  async function publish(news: News): Promise<void> {
    const { snapshot } = news;
    await editions.show(news);
    stream.show(editions.edition()!.events);
    report({
      type: 'snapshot-loaded',
      anime: snapshot.ongoing.length,
      scheduled: countScheduled(snapshot.schedule),
      changedAt: changedAt(snapshot),
    });
  }

  return {
    address: server.address,
    url,
    view,
    async stop() {
      stopDays();
      stream.close();
      await Promise.all([server.close(GRACE_MS), keeper.stop()]);
      stored.stop();
      await job.close();
    },
  };
}
