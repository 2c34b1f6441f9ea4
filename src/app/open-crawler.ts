import { createRefresh, type Refresh } from '../crawler/refresh.ts';
import { openSnapshotStore, type SnapshotStore } from '../crawler/snapshot-store.ts';
import { STORE_DRIVERS } from '../crawler/stores/drivers.ts';
import { createRefreshTimer } from '../crawler/timing/cron.ts';
import { createRefreshTimes } from '../crawler/timing/refresh-times.ts';
import type { Report } from '../domain/operational-event.ts';
import { once } from '../domain/serial.ts';
import { driverFor, redactSetting } from '../domain/setting-url.ts';
import type { Source } from '../source/source.ts';
import type { Config } from './config.ts';

/** Opens the crawler with its store and its schedule, for the service and for the refresh command. */
export async function openCrawlerJob(config: Config, report: Report) {
  const store = await openStore(config.cacheUrl, report);
  const { jitter } = await store.readStatus();
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

  /** The modules of what is switched off are not loaded. */
  async function loadCalendar(url: string) {
    const { openCalendar } = await import('../crawler/broadcasts/calendar-reader.ts');
    return openCalendar({ store, url, userAgent: `Tayang/${config.version}`, report, now: Date.now });
  }

  const refresh: Refresh = async (request) =>
    createRefresh({
      ...{ source: await openSource(), store, report, now: Date.now, times },
      readsDetails: config.readsDetails,
    })(request);

  return {
    store,
    refresh,
    /** Undefined where this process does not crawl on a schedule. */
    timer,
    /** The time between two peeks; null for none. */
    peekMs,
    /** The calendar of broadcasts, which is not read before its `start`. */
    calendar,
    /** Loads the modules that read the source, the first time. */
    openSource,
    async close(): Promise<void> {
      await calendar?.stop();
      await source?.close();
      await store.close();
    },
  };
}

/** Throws when the store cannot be opened: without it there is nothing to serve. A damaged file is set aside instead. */
async function openStore(url: string, report: Report): Promise<SnapshotStore> {
  let damagedAt: number | null = null;
  const onDamaged = (aside: string, error: unknown) => {
    damagedAt = Date.now();
    report({ type: 'store-damaged', aside, error });
  };
  try {
    const store = await driverFor(url, STORE_DRIVERS)(url, { onDamaged });
    return await openSnapshotStore(store, {
      random: Math.random,
      place: redactSetting(url),
      damagedAt: () => damagedAt,
    });
  } catch (error) {
    throw new Error('CACHE_URL cannot be used', { cause: error });
  }
}

/**
 * Loads the modules that read the source at the first refresh. An HTTP client and a parser are nearly half of what a start
 * would load, and a process whose snapshot is not overdue needs neither.
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
