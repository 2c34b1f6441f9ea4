import type { CalendarReader } from '../crawler/broadcasts/calendar-reader.ts';
import { createRefresh, type Refresh } from '../crawler/refresh.ts';
import { createRefreshTimer, type RefreshTimer } from '../crawler/timing/cron.ts';
import { createRefreshTimes, type RefreshTimes } from '../crawler/timing/refresh-times.ts';
import type { Report } from '../domain/operational-event.ts';
import { once, untilSuccess } from '../domain/serial.ts';
import type { Source } from '../source/source.ts';
import { removeCopyMark } from '../store/copy-mark.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { Config } from './config.ts';
import { openStore } from './open-store.ts';
import type { ThreadContext } from './threads/run-thread.ts';
import { openThreadMemory } from './threads/thread-memory.ts';

/** How soon a mark that could not be removed is tried again. */
const COPY_MARK_RETRY_MS = 5_000;

/** The crawler with its store and its schedule, for the service and for the refresh command. */
export interface CrawlerJob {
  store: SnapshotStore;
  refresh: Refresh;
  /** Undefined where this process does not crawl on a schedule. */
  timer: RefreshTimer | undefined;
  /** The time between two peeks; null for none. */
  peekMs: number | null;
  times: RefreshTimes;
  /** The calendar of broadcasts, which is not read before its `start`; undefined where none is configured. */
  calendar: CalendarReader | undefined;
  /** Loads the modules that read the source, the first time. */
  openSource(): Promise<Source>;
  close(): Promise<void>;
}

/** `thread`: the context of its thread, if it runs in a thread that can restart. */
export async function openCrawlerJob(
  config: Config,
  report: Report,
  thread?: Pick<ThreadContext, 'notes' | 'post'>,
): Promise<CrawlerJob> {
  const store = await openStore(config, {
    report,
    ...(thread && { memory: openThreadMemory(thread), isRestart: thread.notes !== undefined }),
  });
  const stopRemovingMark = untilSuccess(() => removeCopyMark(store), COPY_MARK_RETRY_MS);
  const { jitter } = store.known().status;
  const timer =
    config.refreshCron && config.serves.refresh
      ? createRefreshTimer(config.refreshCron, config.timeZone, jitter, Date.now())
      : undefined;
  let source: Source | undefined;
  const openSource = once(async () => {
    source = await loadSource(config.source, report);
    return source;
  });
  const { peekMs, broadcastsUrl } = config;
  const calendar = broadcastsUrl ? await loadCalendar(broadcastsUrl) : undefined;
  const times = createRefreshTimes(timer, peekMs, Date.now, Math.random, calendar?.foresee);

  /** Modules of disabled features are not loaded. */
  async function loadCalendar(url: string): Promise<CalendarReader> {
    const { openCalendar } = await import('../crawler/broadcasts/calendar-reader.ts');
    return openCalendar({ store, url, userAgent: `Tayang/${config.version}`, report, now: Date.now });
  }

  const refresh: Refresh = async (request) =>
    createRefresh({
      source: await openSource(),
      store,
      report,
      now: Date.now,
      times,
      readsDetails: config.readsDetails,
    })(request);

  return {
    store,
    refresh,
    timer,
    peekMs,
    times,
    calendar,
    openSource,
    async close() {
      stopRemovingMark();
      await calendar?.stop();
      await source?.close();
      await store.close();
    },
  };
}

/**
 * Loads the modules that read the source at the first refresh. An HTTP client and a parser are nearly half of all
 * modules at a start, and a process whose snapshot is not overdue needs neither.
 */
export async function loadSource(
  { urls: mirrors, timeoutMs, delayMs, ...options }: Config['source'],
  report: Report,
): Promise<Source> {
  const [{ createPageFetcher }, { createSource }, { otakudesu }] = await Promise.all([
    import('../source/fetch-page.ts'),
    import('../source/create-source.ts'),
    import('../source/sites/otakudesu/site.ts'),
  ]);
  const fetcher = createPageFetcher({ ...options, timeoutMs, delayMs, origins: mirrors, now: Date.now });
  return createSource(otakudesu, { mirrors, fetcher, timeoutMs, delayMs, random: Math.random, report });
}
