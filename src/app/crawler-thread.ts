import type { CalendarReader } from '../crawler/broadcasts/calendar-reader.ts';
import { type RefreshScheduler, startRefreshScheduler } from '../crawler/refresh-scheduler.ts';
import { countDetails } from '../domain/details.ts';
import { listingChangedAt } from '../domain/snapshot.ts';
import { changesOf, memoryOf } from '../publishing/document-changes.ts';
import { type ListingState, summarizeSnapshot } from '../publishing/listing-state.ts';
import { listingRobots, renderSiteDocuments } from '../publishing/site-files.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import { type SnapshotSync, syncSnapshot } from '../store/snapshot-sync.ts';
import { flattenStatus } from '../store/source-status.ts';
import { openMetrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { startEditionSender } from './edition-sender.ts';
import type { KeptCovers } from './open-covers.ts';
import { openCrawlerJob } from './open-crawler.ts';
import type { OpenOutbox } from './open-outbox.ts';
import type { Origins } from './threads/messages.ts';
import type { ThreadContext, ThreadJob } from './threads/run-thread.ts';

export interface CrawlerData {
  config: Config;
}

/** Starts the crawler: it follows the store, refreshes it on schedule, and sends editions to the main thread. */
export async function start({ config }: CrawlerData, context: ThreadContext): Promise<ThreadJob> {
  const metrics = await openMetrics(config.metricsPort !== null, 'crawler');
  const report = metrics.countEvents(context.report);
  const job = await openCrawlerJob(config, report, context);
  const { store, calendar } = job;
  const origins = await context.origins;
  const { post } = context;
  const now = Date.now;
  // Modules of disabled features are not loaded.
  const covers = config.keepsCovers
    ? await (await import('./open-covers.ts')).openCovers({
        store,
        timeZone: config.timeZone,
        onChange: () => showSnapshot(),
        report,
        now,
      })
    : undefined;
  const editions = startEditionSender({
    url: origins.listing,
    timeZone: config.timeZone,
    sourceUrl: config.source.urls[0] ?? '',
    hasPush: config.pushContact !== null,
    hasChannels: config.channels !== 'off',
    calendar,
    covers: covers?.covers,
    post,
    report,
    now,
  });
  let sendState: (() => void) | undefined;
  let reportedChangeAt: number | undefined;
  const sync = syncSnapshot({ store, report, onLoaded: showSnapshot, now });
  showSnapshot();
  if (!store.known().listing) report({ type: 'snapshot-absent' });
  const scheduler = startRefreshScheduler({ ...job, report, now });
  const details =
    job.timer && config.readsDetails
      ? (await import('../crawler/details/details-reader.ts')).startDetailsReader({
          store,
          source: job.openSource,
          isRefreshing: scheduler.isRefreshing,
          report,
          now,
        })
      : undefined;
  const outbox =
    config.webhooks.receivers.length > 0 || config.pushContact || config.channels !== 'off'
      ? (await import('./open-outbox.ts')).openOutbox(config, {
          store,
          origins,
          eventContext: editions.eventContext,
          foresee: calendar?.foresee,
          report,
        })
      : undefined;
  if (job.timer) {
    calendar?.start();
    const isBusy = () => scheduler.isRefreshing() || (details?.isReading() ?? false);
    covers?.start({ source: job.openSource, isBusy });
  }
  sendState = createStateSender(() => readState(store, sync, scheduler, calendar, covers, outbox), post);
  sendState();
  // Time changes the state as well.
  const sending = setInterval(sendState, SEND_EVERY_MS);

  /** Reports a new snapshot once the state is sent, so that `/readyz` is 200 when the log says that it is loaded. */
  function showSnapshot(): void {
    const { listing, status } = store.known();
    if (listing) editions.show({ ...listing, status: flattenStatus(status) });
    sendState?.();
    const { snapshot } = listing ?? {};
    if (!snapshot || listingChangedAt(snapshot) === reportedChangeAt) return;
    reportedChangeAt = listingChangedAt(snapshot);
    report({ type: 'snapshot-loaded', ...summarizeSnapshot(snapshot) });
  }

  // The documents of the site come after the listing, because clients wait for that one.
  void sendSiteDocuments(config, origins, post);
  return {
    address: null,
    readMetrics: metrics.read,
    readStore: async () => (await sync.read()) && ((await covers?.load()) ?? true) && editions.isCurrent(),
    readCover: covers?.readFile,
    onEvent: outbox?.onEvent,
    changeSubscription: outbox?.changeSubscription,
    changeChannel: outbox?.changeChannel,
    async stop() {
      editions.stop();
      clearInterval(sending);
      await Promise.all([scheduler.stop(), details?.stop(), covers?.stop(), outbox?.stop()]);
      sync.stop();
      await job.close();
    },
  };
}

/** Renders the documents of the listing's origin that do not depend on the listing, and sends them to the main thread. */
async function sendSiteDocuments(
  { version, contact, timeZone, channels, upload: limits }: Config,
  origins: Origins,
  post: ThreadContext['post'],
): Promise<void> {
  const { describeApi } = await import('../http/openapi/describe-api.ts');
  const now = Date.now();
  const site = await renderSiteDocuments({ robots: listingRobots(origins.listing), contact, now });
  const description = describeApi(
    { version, origins, timeZone, hasChannels: channels !== 'off', limits },
    now,
  );
  const documents = changesOf(new Map([...site, ...description]));
  post({ type: 'site', documents }, memoryOf(documents));
}

/** The longest delay until clients see a change. */
const SEND_EVERY_MS = 250;

/** Returns a function that sends the state of the listing if it has changed. */
function createStateSender(read: () => ListingState, post: ThreadContext['post']): () => void {
  let sent = '';
  return () => {
    const state = read();
    const text = JSON.stringify(state);
    if (text === sent) return;
    sent = text;
    post({ type: 'state', state });
  };
}

function readState(
  store: SnapshotStore,
  sync: SnapshotSync,
  scheduler: RefreshScheduler,
  calendar: Pick<CalendarReader, 'state'> | undefined,
  covers: Pick<KeptCovers, 'count'> | undefined,
  outbox: Pick<OpenOutbox, 'states' | 'pushKey'> | undefined,
): ListingState {
  const { listing, status } = store.known();
  const { belief: _, detailsFailed, ...source } = flattenStatus(status);
  const snapshot = listing?.snapshot;
  return {
    source,
    dueAt: scheduler.dueAt(),
    ongoingDueAt: scheduler.ongoingDueAt(),
    nextAttempt: scheduler.nextAttempt(),
    isRefreshing: scheduler.isRefreshing(),
    store: sync.health(),
    broadcasts: calendar?.state(),
    covers: covers?.count() ?? null,
    pushKey: outbox?.pushKey(),
    webhooks: outbox?.states() ?? [],
    snapshot: snapshot ? summarizeSnapshot(snapshot) : null,
    details: snapshot ? countDetails(snapshot, detailsFailed) : null,
  };
}
