import { workerData } from 'node:worker_threads';
import { startRefreshScheduler } from '../crawler/refresh-scheduler.ts';
import { type News, type SnapshotSync, syncSnapshot } from '../crawler/snapshot-sync.ts';
import type { Document } from '../publishing/document.ts';
import type { Edition } from '../publishing/edition.ts';
import { createEditionPublisher } from '../publishing/edition-publisher.ts';
import { summarizeSnapshot } from '../publishing/listing-state.ts';
import { createPacker } from '../publishing/packed-documents.ts';
import { createSecurityFile, LISTING_ROBOTS, SECURITY_PATH } from '../publishing/site-files.ts';
import { openMetrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { startDailyTimer } from './daily-timer.ts';
import { openCrawlerJob } from './open-crawler.ts';
import { createStateSender, type StateSender } from './state-sender.ts';
import { runThread, type ThreadContext, type ThreadJob } from './thread.ts';

/** Behind everything that somebody waits for. */
const NICENESS = 4;

/** What the thread is given. */
export interface CrawlerData {
  config: Config;
}

await runThread((context) => startCrawler(workerData as CrawlerData, context), NICENESS);

/** The crawler: follows the store, refreshes it at its times, and sends the main thread what readers get. */
async function startCrawler({ config }: CrawlerData, context: ThreadContext): Promise<ThreadJob> {
  const { timeZone, version, contact } = config;
  const metrics = await openMetrics(config.metricsPort !== null, 'crawler');
  const report = metrics.follow(context.report);
  const job = await openCrawlerJob(config, report);
  const origins = await context.origins;
  const packSite = createPacker();
  const packEdition = createPacker();
  const update = createEditionPublisher({
    ...{ url: origins.listing, timeZone, sourceUrl: config.source.urls[0] ?? '' },
    ...{ publish: sendEdition, now: Date.now },
  });
  const onPresent = () => stateSender?.sendChange();
  let stateSender: StateSender | undefined;
  const stored = await syncSnapshot({
    ...{ store: job.store, report, onSnapshot, onStatus, onPresent, now: Date.now },
  });
  if (!stored.snapshot()) report({ type: 'snapshot-absent' });
  const scheduler = startRefreshScheduler({ ...job, view: stored, report, now: Date.now });
  stateSender = createStateSender({ stored, scheduler, send: context.post });
  const stopDays = startDailyTimer({ timeZone, now: Date.now, onDay: renderDay, report });

  let site = new Map<string, Document>();

  /** After the listing, which readers wait for. */
  async function renderSite(): Promise<void> {
    const { renderSite: render } = await import('./site-documents.ts');
    site = await render({ robots: LISTING_ROBOTS, origins, version, contact, now: Date.now() });
    sendSite();
  }

  function sendSite(): void {
    const documents = packSite(site);
    context.post({ type: 'site', documents }, [documents.bytes]);
  }

  function sendEdition({ documents: all, ...edition }: Edition): void {
    const documents = packEdition(all);
    context.post({ type: 'edition', documents, edition }, [documents.bytes]);
  }

  async function onSnapshot(news: News): Promise<void> {
    update(news);
    report({ type: 'snapshot-loaded', ...summarizeSnapshot(news.snapshot) });
  }

  async function onStatus(status: ReturnType<SnapshotSync['status']>): Promise<void> {
    update({ status });
  }

  async function renderDay(): Promise<void> {
    update();
    if (!contact) return;
    site.set(SECURITY_PATH, createSecurityFile(contact, Date.now()));
    sendSite();
  }

  void renderSite();
  return {
    address: null,
    readMetrics: metrics.read,
    async stop() {
      stopDays();
      stateSender?.stop();
      await scheduler.stop();
      stored.stop();
      await job.close();
    },
  };
}
