import type { CalendarReader } from '../crawler/broadcasts/calendar-reader.ts';
import { type RefreshScheduler, startRefreshScheduler } from '../crawler/refresh-scheduler.ts';
import { type SnapshotSync, syncSnapshot } from '../crawler/snapshot-sync.ts';
import { NO_CALENDAR } from '../domain/broadcast.ts';
import { countDetails } from '../domain/details.ts';
import type { WebhookState } from '../domain/health.ts';
import { listingChangedAt } from '../domain/listing.ts';
import { changesOf, memoryOf } from '../publishing/document.ts';
import { type ListingState, summarizeSnapshot } from '../publishing/listing-state.ts';
import { LISTING_ROBOTS, renderSiteDocuments } from '../publishing/site-files.ts';
import { openMetrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { startEditionSender } from './edition-sender.ts';
import { openCrawlerJob } from './open-crawler.ts';
import type { JobMessage, Origins } from './threads/messages.ts';
import type { ThreadContext, ThreadJob } from './threads/run-thread.ts';

export interface CrawlerData {
  config: Config;
}

/** Starts the crawler: it follows the store, refreshes it on schedule, and sends editions to the main thread. */
export async function start({ config }: CrawlerData, context: ThreadContext): Promise<ThreadJob> {
  const metrics = await openMetrics(config.metricsPort !== null, 'crawler');
  const report = metrics.countEvents(context.report);
  const job = await openCrawlerJob(config, report);
  const origins = await context.origins;
  const { post } = context;
  const calendar = config.broadcastsUrl ? await openBroadcasts(config.broadcastsUrl) : undefined;
  const editions = startEditionSender({
    url: origins.listing,
    timeZone: config.timeZone,
    sourceUrl: config.source.urls[0] ?? '',
    hasPush: config.pushContact !== null,
    calendar,
    post,
    report,
    now: Date.now,
  });
  let stateSender: ReturnType<typeof startStateSender> | undefined;
  let reportedChangeAt: number | undefined;
  const sync = await syncSnapshot({
    store: job.store,
    report,
    onSnapshot: async (update) => editions.render(update),
    onStatus: async (status) => editions.render({ status }),
    onLoaded() {
      if (!stateSender) return;
      stateSender.sendChange();
      reportSnapshot();
    },
    now: Date.now,
  });
  if (sync.snapshot()) reportSnapshot();
  else report({ type: 'snapshot-absent' });
  const scheduler = startRefreshScheduler({ ...job, sync, report, now: Date.now });
  const details = job.timer && config.readsDetails ? await openDetails() : undefined;
  const outbox = config.webhooks.receivers.length > 0 || config.pushContact ? await startOutbox() : undefined;
  stateSender = startStateSender({ sync, calendar, scheduler, outbox, send: post });
  reportSnapshot();

  // The modules of what is switched off are not loaded.
  async function openBroadcasts(url: string) {
    const { openCalendar } = await import('../crawler/broadcasts/calendar-reader.ts');
    const { store, timer } = job;
    const userAgent = `Tayang/${config.version}`;
    return openCalendar({ store, url, reads: timer !== undefined, userAgent, report, now: Date.now });
  }

  async function openDetails() {
    const { startDetailsReader } = await import('../crawler/details/details-reader.ts');
    const { isRefreshing } = scheduler;
    return startDetailsReader({
      store: job.store,
      source: job.openSource,
      isRefreshing,
      report,
      now: Date.now,
    });
  }

  async function startOutbox() {
    const { openOutbox } = await import('./open-outbox.ts');
    const onPushKey = (key: string) => post({ type: 'push-key', key });
    const { idsOf } = editions;
    return openOutbox(config, { store: job.store, uploadsUrl: origins.uploads, idsOf, onPushKey, report });
  }

  /** Reports a new snapshot once the state is sent, so that `/readyz` is 200 when the log says that it is loaded. */
  function reportSnapshot(): void {
    const snapshot = sync.snapshot();
    if (!snapshot || listingChangedAt(snapshot) === reportedChangeAt) return;
    reportedChangeAt = listingChangedAt(snapshot);
    report({ type: 'snapshot-loaded', ...summarizeSnapshot(snapshot) });
  }

  // The documents of the site come after the listing, because clients wait for that one.
  void sendSiteDocuments(config, origins, post);
  return {
    address: null,
    readMetrics: metrics.read,
    onEvent: outbox?.onEvent,
    changeSubscription: outbox?.change,
    async stop() {
      editions.stop();
      stateSender?.stop();
      await Promise.all([scheduler.stop(), details?.(), calendar?.stop(), outbox?.stop()]);
      sync.stop();
      await job.close();
    },
  };
}

/** Renders the documents of the listing's origin that do not depend on the listing, and sends them to the main thread. */
async function sendSiteDocuments(
  { version, contact, timeZone, upload: limits }: Config,
  origins: Origins,
  post: ThreadContext['post'],
): Promise<void> {
  const { describeApi } = await import('../http/openapi/describe-api.ts');
  const now = Date.now();
  const site = await renderSiteDocuments({ robots: LISTING_ROBOTS, contact, now });
  const description = describeApi({ version, origins, timeZone, limits }, now);
  const documents = changesOf(new Map([...site, ...description]));
  post({ type: 'site', documents }, memoryOf(documents));
}

/** The longest delay until clients see a change. */
const CHECK_EVERY_MS = 250;

interface StateSenderOptions {
  sync: SnapshotSync;
  calendar: Pick<CalendarReader, 'state'> | undefined;
  scheduler: RefreshScheduler;
  outbox: { states(): WebhookState[] } | undefined;
  send: (message: JobMessage) => void;
}

/** Sends the state of the listing now and after each change. It checks at intervals because time changes the state too. */
function startStateSender({ sync, calendar, scheduler, outbox, send }: StateSenderOptions) {
  let sent = '';

  /** Sends the state if it has changed. */
  function sendChange(): void {
    const state = readState();
    const text = JSON.stringify(state);
    if (text === sent) return;
    sent = text;
    send({ type: 'state', state });
  }

  function readState(): ListingState {
    const { belief: _, detailsFailed, ...source } = sync.status();
    const snapshot = sync.snapshot();
    return {
      source,
      dueAt: scheduler.dueAt(),
      ongoingDueAt: scheduler.ongoingDueAt(),
      nextAttempt: scheduler.nextAttempt(),
      isRefreshing: scheduler.isRefreshing(),
      store: sync.health(),
      broadcasts: calendar?.state() ?? NO_CALENDAR,
      webhooks: outbox?.states() ?? [],
      snapshot: snapshot ? summarizeSnapshot(snapshot) : null,
      details: snapshot ? countDetails(snapshot, detailsFailed) : null,
    };
  }

  sendChange();
  const timer = setInterval(sendChange, CHECK_EVERY_MS);
  return { sendChange, stop: () => clearInterval(timer) };
}
