import { createRefresh, type Refresh } from '../crawler/refresh.ts';
import { createRefreshTimer, type RefreshTimer } from '../crawler/refresh-timer.ts';
import { createRefreshTimes } from '../crawler/refresh-times.ts';
import { openSnapshotStore, type SnapshotStore } from '../crawler/snapshot-store.ts';
import { STORE_DRIVERS } from '../crawler/stores/drivers.ts';
import { driverFor } from '../domain/driver-url.ts';
import { once } from '../domain/once.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Source } from '../source/source.ts';
import type { Config } from './config.ts';
import { loadSource } from './load-source.ts';

/** The job of the listing, wired: what the service and the refresh command have in common. */
export interface CrawlerJob {
  store: SnapshotStore;
  refresh: Refresh;
  /** Undefined where nothing is timed. */
  timer: RefreshTimer | undefined;
  /** The time between two peeks; null for none. */
  peekMs: number | null;
  close(): Promise<void>;
}

export async function openCrawlerJob(config: Config, report: Report): Promise<CrawlerJob> {
  const store = await openStore(config.cacheUrl, report);
  const { jitter } = await store.readStatus();
  const timer =
    config.refreshCron && config.serves.refresh
      ? createRefreshTimer({
          ...{ expression: config.refreshCron, timeZone: config.timeZone },
          ...{ jitterShare: jitter, now: Date.now },
        })
      : undefined;
  const load = once(() => loadSource(config.source, report));
  let source: Source | undefined;
  const { peekMs } = config;
  const times = createRefreshTimes({ timer, peekMs, random: Math.random, now: Date.now });

  return {
    store,
    async refresh(request) {
      source = await load();
      return createRefresh({ source, store, report, now: Date.now, times })(request);
    },
    timer,
    peekMs,
    async close() {
      timer?.stop();
      await source?.close();
      await store.close();
    },
  };
}

/** Without a store there is nothing to serve: who started the process is told at once, and may start it again. */
async function openStore(url: string, report: Report): Promise<SnapshotStore> {
  let damagedAt: number | null = null;
  const onDamaged = (aside: string, error: unknown) => {
    damagedAt = Date.now();
    report({ type: 'store-damaged', aside, error });
  };
  try {
    const store = await driverFor(url, STORE_DRIVERS)(url, { onDamaged });
    return { ...(await openSnapshotStore(store, Math.random)), damagedAt: () => damagedAt };
  } catch (error) {
    throw new Error('CACHE_URL cannot be used', { cause: error });
  }
}
