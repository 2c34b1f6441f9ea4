import { startRefreshScheduler } from '../crawler/refresh-scheduler.ts';
import { type SnapshotSync, type SnapshotUpdate, syncSnapshot } from '../crawler/snapshot-sync.ts';
import { expectEpisodes } from '../crawler/timing/expected-times.ts';
import type { Snapshot } from '../domain/listing.ts';
import { nextUpcomingChange } from '../publishing/anime-records.ts';
import type { Document } from '../publishing/document.ts';
import type { Edition } from '../publishing/edition.ts';
import { createEditionPublisher } from '../publishing/edition-publisher.ts';
import { summarizeSnapshot } from '../publishing/listing-state.ts';
import { createPacker } from '../publishing/packed-documents.ts';
import { createSecurityFile, LISTING_ROBOTS, SECURITY_PATH } from '../publishing/site-files.ts';
import { openMetrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { startDailyTimer } from './daily-timer.ts';
import { startExpectedTimer } from './expected-timer.ts';
import { openCrawlerJob } from './open-crawler.ts';
import { openWebhooks } from './open-webhooks.ts';
import { createStateSender, type StateSender } from './state-sender.ts';
import type { ThreadContext, ThreadJob } from './threads/run-thread.ts';

/** The `workerData` of the thread. */
export interface CrawlerData {
  config: Config;
}

/** Starts the crawler: it follows the store, refreshes it on schedule, and sends editions to the main thread. */
export async function startCrawler({ config }: CrawlerData, context: ThreadContext): Promise<ThreadJob> {
  const { timeZone, version, contact } = config;
  const metrics = await openMetrics(config.metricsPort !== null, 'crawler');
  const report = metrics.follow(context.report);
  const job = await openCrawlerJob(config, report);
  const origins = await context.origins;
  const packSite = createPacker();
  const packEdition = createPacker();
  const publishChange = createEditionPublisher({
    url: origins.listing,
    timeZone,
    sourceUrl: config.source.urls[0] ?? '',
    publish: sendEdition,
    now: Date.now,
  });
  let stateSender: StateSender | undefined;
  let unreported: Snapshot | undefined;
  let latest: SnapshotUpdate | undefined;
  let expectedChangeAt = Infinity;
  const sync = await syncSnapshot({
    store: job.store,
    report,
    onSnapshot,
    onStatus,
    onLoaded,
    now: Date.now,
  });
  if (sync.snapshot()) reportSnapshot();
  else report({ type: 'snapshot-absent' });
  const scheduler = startRefreshScheduler({ ...job, sync, report, now: Date.now });
  const webhooks = await openWebhooks(config, job.store, report);
  stateSender = createStateSender({ sync, scheduler, webhooks, send: context.post });
  const stopDailyTimer = startDailyTimer({ timeZone, now: Date.now, onDay: renderDay, report });
  const stopExpectedTimer = startExpectedTimer({
    nextChange: () => expectedChangeAt,
    onChange: renderExpected,
    now: Date.now,
    report,
  });

  let siteDocuments = new Map<string, Document>();

  /** Renders the site's documents after the listing, which clients wait for. */
  async function renderSite(): Promise<void> {
    const { renderSiteDocuments } = await import('./site-documents.ts');
    const options = { robots: LISTING_ROBOTS, origins, version, contact, now: Date.now() };
    siteDocuments = await renderSiteDocuments(options);
    sendSite();
  }

  function sendSite(): void {
    const documents = packSite(siteDocuments);
    context.post({ type: 'site', documents }, [documents.bytes]);
  }

  function sendEdition({ documents: all, ...edition }: Edition): void {
    const documents = packEdition(all);
    context.post({ type: 'edition', documents, edition }, [documents.bytes]);
  }

  async function onSnapshot(update: SnapshotUpdate): Promise<void> {
    publishChange(update);
    unreported = update.snapshot;
    latest = update;
    expectedChangeAt = nextUpcomingChange(update.expected, Date.now());
  }

  /** Renders what is expected after a time has passed. The source is not asked, and the events stay as they are. */
  function renderExpected(): void {
    if (!latest) return;
    const slugs = latest.snapshot.ongoing.map(({ slug }) => slug);
    const expected = expectEpisodes(latest.history, slugs, Date.now());
    publishChange({ expected });
    expectedChangeAt = nextUpcomingChange(expected, Date.now());
  }

  function onLoaded(): void {
    stateSender?.sendChange();
    reportSnapshot();
  }

  /** Reports a new snapshot once the state is sent, so that `/readyz` is 200 when the log says that it is loaded. */
  function reportSnapshot(): void {
    if (unreported) report({ type: 'snapshot-loaded', ...summarizeSnapshot(unreported) });
    unreported = undefined;
  }

  async function onStatus(status: ReturnType<SnapshotSync['status']>): Promise<void> {
    publishChange({ status });
  }

  function renderDay(): void {
    publishChange();
    if (!contact) return;
    siteDocuments.set(SECURITY_PATH, createSecurityFile(contact, Date.now()));
    sendSite();
  }

  void renderSite();
  return {
    address: null,
    readMetrics: metrics.read,
    sendNotice: webhooks.sendNotice,
    async stop() {
      stopDailyTimer();
      stopExpectedTimer();
      stateSender?.stop();
      await Promise.all([scheduler.stop(), webhooks.stop()]);
      sync.stop();
      await job.close();
    },
  };
}
